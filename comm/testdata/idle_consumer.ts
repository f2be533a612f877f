/**
 * A program that consumes an empty inbox until a timer, which does not keep the process running,
 * stops the consumer.
 *
 *     deno run idle_consumer.ts memory|sqlite abort|close
 *
 * @module
 */

import { memoryQueue } from "../queues.ts";
import { sqliteQueue } from "../sqlite.ts";

async function main([engine = "", end = ""]: readonly string[]): Promise<void> {
  const inboxOf = (): string => "office";
  const stopping = new AbortController();
  const { signal } = stopping;
  const queue = engine === "memory"
    ? memoryQueue({ inboxOf })
    : sqliteQueue(":memory:", { inboxOf });
  const timer = setTimeout(() => end === "abort" ? stopping.abort() : queue.close(), 100);
  Deno.unrefTimer(timer);
  await queue.consume("office", () => {}, { signal });
  await queue.close();
  console.log("stopped");
}

// With a top-level `await`, Deno waits for timers that do not keep the process running.
main(Deno.args);
