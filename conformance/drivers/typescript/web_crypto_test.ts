import { assert, assertEquals } from "@std/assert";
import { describeFailure, Verdict } from "../../kit/verdict.ts";
import { run } from "../../runner/run.ts";

const DRIVER = new URL("./parley_without_web_crypto.ts", import.meta.url).pathname;

/** The areas in which messages are signed and verified, without the cases that measure time. */
const AREAS = [
  "ed25519",
  "ed25519-edges",
  "key-formats",
  "policy",
  "proof",
  "proof-options",
  "signed-negotiation",
  "signing",
  "verification",
];

Deno.test("the Parley libraries sign and verify all messages if WebCrypto does not support Ed25519", async () => {
  const { results } = await run({
    subject: { driver: { command: ["deno", "run", "-A", DRIVER] } },
    select: { only: AREAS.map((area) => `comm/${area}/*`) },
  });
  assert(results.length > 150);
  const failed = results.filter(({ verdict }) => verdict !== Verdict.Pass);
  assertEquals(failed.map((result) => `${result.id}: ${describeFailure(result)}`), []);
});
