/**
 * Measures what it costs to send and receive a message through a queue in memory that holds many
 * messages.
 *
 * @module
 */

import { AgentCommMessage } from "@parley/comm";
import { memoryQueue } from "@parley/comm/queues";
import { cpuUsedUs, median } from "../measure.ts";
import type { Growth } from "../report.ts";
import { RECIPIENT } from "./messages.ts";

const DEPTHS = [1000, 10_000, 100_000, 300_000];
const ROUNDS = 3;

/**
 * Measures the processor time per message: all messages are sent before the first is received. The
 * depths take turns. Small depths are repeated, so that each measurement has as many messages.
 */
export async function measureQueueDepths(): Promise<Growth> {
  const largest = Math.max(...DEPTHS);
  const messages = Array.from({ length: largest }, (_, payload) =>
    new AgentCommMessage({
      sender: RECIPIENT,
      recipient: RECIPIENT,
      protocol: "agent.task.v1",
      messageType: "task_assign",
      payload,
    }));
  const costs = new Map(DEPTHS.map((depth): [number, number[]] => [depth, []]));
  await passThrough(messages.slice(0, 20_000), 1000);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [depth, measured] of costs) {
      const count = Math.max(depth, 30_000);
      measured.push(await passThrough(messages.slice(0, count), depth));
    }
  }
  return {
    name: "messages waiting in a queue",
    work: "sending and receiving a message",
    unit: "us",
    costs: new Map([...costs].map(([depth, us]) => [depth, median(us)])),
  };
}

/** Sends and receives messages in batches. Returns the processor time per message. */
async function passThrough(messages: readonly AgentCommMessage[], depth: number): Promise<number> {
  const startedUs = cpuUsedUs();
  let received = 0;
  for (let start = 0; start < messages.length; start += depth) {
    const batch = messages.slice(start, start + depth);
    const queue = memoryQueue({
      inboxOf: () => "inbox",
      maxMessages: depth,
      maxBytes: 1_000_000_000,
    });
    for (const message of batch) await queue.send(message);
    const stopping = new AbortController();
    let left = batch.length;
    await queue.consume("inbox", () => {
      received++;
      if (--left === 0) stopping.abort();
    }, { signal: stopping.signal });
    await queue.close();
  }
  if (received !== messages.length) throw new Error("Cannot measure: messages are missing");
  return (cpuUsedUs() - startedUs) / messages.length;
}
