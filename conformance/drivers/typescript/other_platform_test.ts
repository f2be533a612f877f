import { assert, assertEquals } from "@std/assert";
import { describeFailure, Verdict } from "../../kit/verdict.ts";
import { run } from "../../runner/run.ts";

const DRIVER = new URL("./parley_on_other_platform.ts", import.meta.url).pathname;

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

/** Runs the cases of all areas on a simulated platform. */
async function runOn(...flags: readonly string[]): Promise<void> {
  const { results } = await run({
    subject: { driver: { command: ["deno", "run", "-A", DRIVER, ...flags] } },
    select: { only: AREAS.map((area) => `comm/${area}/*`) },
  });
  assert(results.length > 150);
  const failed = results.filter(({ verdict }) => verdict !== Verdict.Pass);
  assertEquals(failed.map((result) => `${result.id}: ${describeFailure(result)}`), []);
}

Deno.test("the Parley libraries sign and verify all messages without node:crypto", async () => {
  await runOn();
});

Deno.test("the Parley libraries sign and verify all messages if WebCrypto does not support Ed25519 either", async () => {
  await runOn("--without-web-crypto");
});
