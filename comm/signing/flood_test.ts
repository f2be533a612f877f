// Ed25519 runs on the calling thread, so a flood of messages must let timers and I/O run.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentCommMessage } from "../message/message.ts";
import { ANN, BOB, PROTOCOL } from "../testdata/peers.ts";
import { signMessage } from "./signing.ts";
import { verifyAll } from "./verify_all.ts";
import { verifyMessage } from "./verify_message.ts";

/** More operations than a machine performs before a timer of 0 ms is due. */
const FLOOD = 20_000;

const MESSAGE = new AgentCommMessage({
  sender: ANN.did,
  recipient: BOB.did,
  protocol: PROTOCOL,
  messageType: "task_assign",
  payload: null,
});
const SIGNED = await signMessage(MESSAGE, ANN);

/** Aborts a call from a timer of 0 ms. The call must reject with the reason. */
async function assertAborted(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const error = await assertRejects(() => call(AbortSignal.timeout(0)), DOMException);
  assertEquals(error.name, "TimeoutError");
}

Deno.test("a timer aborts a sequence of verifications", async () => {
  await assertAborted(async (signal) => {
    for (let count = 0; count < FLOOD; count++) {
      assert((await verifyMessage(SIGNED, { recipient: BOB.did, signal })).ok);
    }
  });
});

Deno.test("a timer aborts concurrent verifications", async () => {
  const messages = Array.from({ length: FLOOD }, () => SIGNED);
  for (const concurrency of [8, FLOOD]) {
    await assertAborted(async (signal) => {
      await verifyAll(messages, { recipient: BOB.did, concurrency, signal });
      signal.throwIfAborted();
    });
  }
});

Deno.test("a timer aborts a sequence of signatures", async () => {
  await assertAborted(async (signal) => {
    for (let count = 0; count < FLOOD; count++) await signMessage(MESSAGE, ANN, { signal });
  });
});

Deno.test("concurrent verifications end in the order of the calls, between which timers run", async () => {
  const ended: number[] = [];
  let timerRanAfter = FLOOD;
  AbortSignal.timeout(0).addEventListener("abort", () => timerRanAfter = ended.length);
  const calls = Array.from({ length: 2000 }, async (_, index) => {
    assert((await verifyMessage(SIGNED, { recipient: BOB.did })).ok);
    ended.push(index);
  });
  await Promise.all(calls);
  assertEquals(ended, ended.toSorted((a, b) => a - b));
  assert(timerRanAfter < ended.length, `the timer ran after ${timerRanAfter} verifications`);
});
