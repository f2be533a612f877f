/**
 * A program that consumes an empty inbox until a timer, which does not keep the process running,
 * closes the queue.
 *
 * @module
 */

import { memoryQueue } from "../queues.ts";

const queue = memoryQueue({ inboxOf: () => "office" });
const timer = setTimeout(() => queue.close(), 100);
Deno.unrefTimer(timer);
await queue.consume("office", () => {});
console.log("stopped");
