import { assertEquals } from "@std/assert";
import { IS_FULL } from "./full_size.ts";
import { runMessageChaos } from "./message_chaos.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const size = IS_FULL
  ? { messages: 1500, engineKills: 6, consumerKills: 12, timeoutMs: 900_000 }
  : { messages: 200, engineKills: 2, consumerKills: 2, timeoutMs: 180_000 };

for (const isOrdered of [false, true]) {
  const order = isOrdered ? "in order" : "once";
  Deno.test(`Messages are processed ${order} while PostgreSQL and consumers are killed`, {
    ignore: !HAS_POSTGRES,
  }, async () => {
    const { inversions, ...counts } = await runMessageChaos({
      program: POSTGRES_RELEASES[18],
      isOrdered,
      ...size,
    });
    const { engineKills, consumerKills } = size;
    const counted = JSON.stringify({ ...counts, inversions });
    console.log(`chaos of ${size.messages} messages, ${order}: ${counted}`);
    assertEquals(counts, {
      lost: 0,
      twice: 0,
      engineKills,
      consumerKills,
      crashed: 0,
      deadLetters: ["poison"],
      redriven: 1,
    });
    if (isOrdered) assertEquals(inversions, 0);
  });
}
