import { assert, assertEquals } from "@std/assert";
import { describeFailure, Verdict } from "../../kit/verdict.ts";
import { run } from "../../runner/run.ts";

const DRIVER = new URL("./parley_without_web_crypto.ts", import.meta.url).pathname;

Deno.test("the Parley libraries pass every comm case if WebCrypto does not support Ed25519", async () => {
  const { results } = await run({
    subject: { driver: { command: ["deno", "run", "-A", DRIVER] } },
    select: { libraries: ["comm"] },
  });
  assert(results.length > 300);
  const failed = results.filter(({ verdict }) => verdict !== Verdict.Pass);
  assertEquals(failed.map((result) => `${result.id}: ${describeFailure(result)}`), []);
});
