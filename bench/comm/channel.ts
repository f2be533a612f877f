/**
 * Measures channels.
 *
 * @module
 */

import { type AgentCommMessage, createChannelPair } from "@parley/comm";
import { type CpuRounds, measureCpuRounds } from "../measure.ts";
import { createMessage, RECIPIENT } from "./messages.ts";

const CHANNEL_MESSAGES = 20_000;
/** Number of messages that a measured channel can hold. */
export const CAPACITY = 1000;

/**
 * Measures `@parley/comm` channels and `TransformStream`, each used in the fastest documented way.
 * `@parley/comm` channels are also measured with every call awaited, because writing to a
 * `TransformStream` requires awaiting each call.
 */
export async function measureChannel(): Promise<CpuRounds> {
  const message = createMessage(RECIPIENT);
  return await measureCpuRounds([
    {
      name: "@parley/comm channel",
      operations: CHANNEL_MESSAGES,
      run: () => runChannel(message, CHANNEL_MESSAGES),
    },
    {
      name: "@parley/comm channel, each awaited",
      operations: CHANNEL_MESSAGES,
      run: () => runAwaitedChannel(message, CHANNEL_MESSAGES),
    },
    {
      name: "TransformStream, each awaited",
      operations: CHANNEL_MESSAGES,
      run: () => runTransformStream(message),
    },
  ]);
}

/**
 * Sends and receives messages through a channel, and awaits only if the channel is full or empty.
 */
async function runChannel(message: AgentCommMessage, count: number): Promise<void> {
  const [ann, bob] = createChannelPair({ capacity: CAPACITY });
  async function receive(): Promise<void> {
    for (let index = 0; index < count; index++) {
      if (bob.tryReceive() === undefined) await bob.receive();
    }
  }
  const receiving = receive();
  for (let index = 0; index < count; index++) {
    if (!ann.trySend(message)) await ann.send(message);
  }
  await receiving;
  await Promise.all([ann.close(), bob.close()]);
}

async function runAwaitedChannel(message: AgentCommMessage, count: number): Promise<void> {
  const [ann, bob] = createChannelPair({ capacity: CAPACITY });
  async function receive(): Promise<void> {
    for (let index = 0; index < count; index++) await bob.receive();
  }
  const receiving = receive();
  for (let index = 0; index < count; index++) await ann.send(message);
  await receiving;
  await Promise.all([ann.close(), bob.close()]);
}

/**
 * Sends messages through a `TransformStream` and awaits every write, which is faster than awaiting
 * `ready` only when `desiredSize` is 0.
 */
async function runTransformStream(message: AgentCommMessage): Promise<void> {
  const { readable, writable } = new TransformStream<AgentCommMessage, AgentCommMessage>(
    undefined,
    { highWaterMark: CAPACITY },
    { highWaterMark: 0 },
  );
  const [writer, reader] = [writable.getWriter(), readable.getReader()];
  async function receive(): Promise<void> {
    for (let index = 0; index < CHANNEL_MESSAGES; index++) await reader.read();
  }
  const receiving = receive();
  for (let index = 0; index < CHANNEL_MESSAGES; index++) await writer.write(message);
  await receiving;
  await Promise.all([writer.close(), reader.cancel()]);
}

/** Returns the heap growth after two million messages, in megabytes. */
export async function measureGrowth(): Promise<number> {
  const message = createMessage(RECIPIENT);
  await runAwaitedChannel(message, 100_000);
  const before = usedMegabytes();
  await runChannel(message, 1_000_000);
  await runAwaitedChannel(message, 1_000_000);
  return usedMegabytes() - before;
}

function usedMegabytes(): number {
  const { gc, process } = globalThis as {
    gc?: () => void;
    process?: { memoryUsage(): { heapUsed: number } };
  };
  if (gc === undefined || process === undefined) {
    throw new Error("Cannot measure memory: run with --expose-gc");
  }
  gc();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
