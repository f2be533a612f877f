/**
 * A server on standard input that measures how long timers are delayed. When the input ends, it prints the longest time
 * between two turns of a timer to standard error, in milliseconds.
 *
 * @module
 */

import { McpServer, serveStdio } from "../../server.ts";

const server = new McpServer({ name: "s", version: "1" });
let longestMs = 0;
let turnedAt = performance.now();
const timer = setInterval(() => {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - turnedAt);
  turnedAt = now;
}, 1);
await serveStdio(server, { exit: false });
longestMs = Math.max(longestMs, performance.now() - turnedAt);
clearInterval(timer);
await Deno.stderr.write(new TextEncoder().encode(`${longestMs}`));
