/**
 * Sends messages with long members to a verifier and prints the heap sizes before and after.
 *
 *     deno run --v8-flags=--expose-gc comm/stress/testdata/replay_memory.ts "a long id"
 *
 * @module
 */

import {
  AgentCommMessage,
  type AgentCommMessageInit,
  createSigner,
  formatMessage,
  parseMessage,
  signMessage,
} from "../../mod.ts";
import { createVerifier, ReplayGuard } from "../../policy.ts";
import { proveMessage, verifyProof } from "../../proof.ts";

const MEMBER_CHARS = 400_000;
const MESSAGES = 60;

const ann = await createSigner({ seed: new Uint8Array(32).fill(1) });
const bob = await createSigner({ seed: new Uint8Array(32).fill(2) });
const replayGuard = new ReplayGuard();

const policy = { require: "proof", maxAgeMs: Infinity } as const;
const verifier = createVerifier({ recipient: bob.did, policy, replayGuard, verifyProof });

/**
 * Sends one message as text, as a transport does, so that no objects of the sender stay in memory.
 */
async function send(members: Partial<AgentCommMessageInit>): Promise<void> {
  const message = new AgentCommMessage({
    sender: ann.did,
    recipient: bob.did,
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload: null,
    ...members,
  });
  const text = formatMessage(await proveMessage(await signMessage(message, ann), ann));
  const result = await verifier.verify(parseMessage(text));
  if (!result.ok) throw result.error;
}

/** Attacks, keyed by name. Each function sends the message with the given number. */
const ATTACKS: Readonly<Record<string, (index: number) => Promise<unknown>>> = {
  "a long id": (index) => send({ id: `${index}${"i".repeat(MEMBER_CHARS)}` }),
  "a long correlationId": () => send({ correlationId: "c".repeat(MEMBER_CHARS) }),
  "a long replyTo": () => send({ replyTo: "r".repeat(MEMBER_CHARS) }),
  "a long payload": () => send({ payload: "p".repeat(MEMBER_CHARS) }),
  // JavaScript engines represent a substring as a reference to the long string.
  "an id that is a substring of a long string": (index) => {
    const text = `${index} ${Math.random()}`.padEnd(MEMBER_CHARS, "t");
    return replayGuard.begin(ann.did, text.slice(0, 60), Date.now() + 300_000);
  },
};

function heapBytes(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("Cannot measure memory: run with --expose-gc");
  gc();
  return Deno.memoryUsage().heapUsed;
}

const attack = ATTACKS[Deno.args[0] ?? ""];
if (attack === undefined) throw new Error("Cannot run attack: unknown name");
await attack(-1);
const before = heapBytes();
for (let index = 0; index < MESSAGES; index++) await attack(index);
const after = heapBytes();
console.log(JSON.stringify({ before, after, tracked: replayGuard.size }));
