import { assertEquals, assertRejects } from "@std/assert";
import { AgentCommMessage } from "../message/message.ts";
import { createVerifier } from "../policy.ts";
import { proveMessage, verifyProof } from "../proof.ts";
import { createSigner, signMessage } from "./signing.ts";
import { verifyMessage } from "./verify_message.ts";
import { verifyAll } from "./verify_all.ts";
import type { VerifyResult } from "./verify_result.ts";

const ANN = await createSigner({ seed: new Uint8Array(32).fill(1) });
const BOB = await createSigner({ seed: new Uint8Array(32).fill(2) });
const EVE = await createSigner({ seed: new Uint8Array(32).fill(3) });

const TO_EVE = await proveMessage(
  await signMessage(
    new AgentCommMessage({
      sender: ANN.did,
      recipient: EVE.did,
      protocol: "agent.task.v1",
      messageType: "task_assign",
      payload: 1,
    }),
    ANN,
  ),
  ANN,
);

/** Verifies the message for Eve with arguments that the compiler does not check. */
type Verify = (...options: readonly unknown[]) => Promise<VerifyResult | undefined>;

const FUNCTIONS: Readonly<Record<string, Verify>> = {
  verifyMessage: (...options) => Reflect.apply(verifyMessage, undefined, [TO_EVE, ...options]),
  verifyAll: async (...options) => {
    const results = await Reflect.apply(verifyAll, undefined, [[TO_EVE], ...options]);
    return results[0];
  },
  verifyProof: (...options) => Reflect.apply(verifyProof, undefined, [TO_EVE, ...options]),
  createVerifier: async (...options) =>
    await Reflect.apply(createVerifier, undefined, options).verify(TO_EVE),
};

async function messageOf(verify: Verify, ...options: readonly unknown[]): Promise<string> {
  const { message } = await assertRejects(async () => await verify(...options), TypeError);
  return message;
}

for (const [name, verify] of Object.entries(FUNCTIONS)) {
  Deno.test(`${name}() requires a recipient`, async () => {
    const start = '"recipient" must be a DID or "any", got';
    assertEquals(await messageOf(verify), `${start} undefined`);
    assertEquals(await messageOf(verify, undefined), `${start} undefined`);
    assertEquals(await messageOf(verify, {}), `${start} undefined`);
    const table: readonly (readonly [unknown, string])[] = [
      [undefined, "undefined"],
      [null, "null"],
      ["", '""'],
      ["eve", '"eve"'],
      ["Any", '"Any"'],
      [`${EVE.did}#key-1`, `"${EVE.did}#key-1"`],
      [[EVE.did], "an array"],
      [true, "true"],
    ];
    for (const [recipient, shown] of table) {
      assertEquals(await messageOf(verify, { recipient }), `${start} ${shown}`);
    }
  });

  Deno.test(`${name}() rejects options that are not an object`, async () => {
    for (const options of [null, EVE.did, [], () => {}]) {
      const message = await messageOf(verify, options);
      assertEquals(message.startsWith('"options" must be an object, got '), true, message);
    }
  });

  Deno.test(`${name}() accepts a message only for its recipient or for any`, async () => {
    for (const recipient of [EVE.did, "any"]) {
      assertEquals((await verify({ recipient }))?.ok, true);
    }
    const result = await verify({ recipient: BOB.did });
    assertEquals(result?.ok === false && result.reason, "recipient_mismatch");
  });

  Deno.test(`${name}() rejects relationships that a DID document must not authorize`, async () => {
    const message = await messageOf(verify, {
      recipient: EVE.did,
      relationship: "verificationMethod",
    });
    assertEquals(
      message,
      '"relationship" must be "authentication" or "assertionMethod", got "verificationMethod"',
    );
  });
}
