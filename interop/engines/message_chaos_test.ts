import { assertEquals } from "@std/assert";
import { IS_FULL } from "./full_size.ts";
import { runMessageChaos } from "./message_chaos.ts";
import { HAS_NATS, INSTALL_NATS } from "./nats_server.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const size = IS_FULL
  ? { messages: 1500, engineKills: 6, consumerKills: 12, timeoutMs: 900_000 }
  : { messages: 200, engineKills: 2, consumerKills: 2, timeoutMs: 180_000 };

const ENGINES = [
  { engine: "pgboss", server: "PostgreSQL", skipped: "", ignore: !HAS_POSTGRES, order: "once" },
  {
    engine: "nats",
    server: "NATS",
    skipped: HAS_NATS ? "" : ` (skipped: nats-server is not installed; run "${INSTALL_NATS}")`,
    ignore: !HAS_NATS || !HAS_POSTGRES,
    order: "in order",
  },
] as const;

for (const { engine, server, skipped, ignore, order: shortOrder } of ENGINES) {
  for (const order of ["once", "in order"]) {
    const isOrdered = order === "in order";
    // The short tests cover each order with one engine.
    const isOmitted = !IS_FULL && order !== shortOrder;
    const reason = isOmitted && skipped === "" ? " (skipped: only at full size)" : skipped;
    const name =
      `Messages are processed ${order} while ${server} and consumers are killed${reason}`;
    Deno.test(name, { ignore: ignore || isOmitted }, async () => {
      const { inversions, ...counts } = await runMessageChaos({
        engine,
        program: POSTGRES_RELEASES[18],
        isOrdered,
        ...size,
      });
      const { engineKills, consumerKills } = size;
      const counted = JSON.stringify({ ...counts, inversions });
      console.log(`chaos of ${size.messages} messages on ${server}, ${order}: ${counted}`);
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
}
