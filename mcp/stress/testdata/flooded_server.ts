/**
 * A stdio server that measures how long timers are delayed. When the input ends, the server prints
 * the longest time between two timer callbacks to standard error, in milliseconds of processor
 * time. Processor time does not include the time of other processes on a busy machine.
 *
 * @module
 */

import process from "node:process";
import { McpServer, serveStdio } from "../../server.ts";

const server = new McpServer({ name: "s", version: "1" });
/** Returns the processor time used by the process, in milliseconds. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

let longestMs = 0;
let turnedAt = processorMs();
const timer = setInterval(() => {
  const now = processorMs();
  longestMs = Math.max(longestMs, now - turnedAt);
  turnedAt = now;
}, 1);
await serveStdio(server, { exit: false });
longestMs = Math.max(longestMs, processorMs() - turnedAt);
clearInterval(timer);
await Deno.stderr.write(new TextEncoder().encode(`${longestMs}`));
