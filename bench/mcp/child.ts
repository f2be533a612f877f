/**
 * A measured process, which runs a server, a client or both and reports its resource usage on
 * request.
 *
 *     child.ts ROLE SUBJECT [NUMBER]
 *
 * Each command on standard input is a line of JSON, `[name, number]`. The response to a command is
 * one line of JSON on standard output.
 *
 * @module
 */

import process from "node:process";
import { createInterface } from "node:readline";
import type { ChildRole, Commands } from "./child_protocol.ts";

// Only the module for the chosen role is loaded, because the other module would increase the
// measured memory.
const ROLES: Readonly<Record<string, () => Promise<ChildRole>>> = {
  server: async () => (await import("./http_server.ts")).serveHttp,
  waiting: async () => (await import("./abort_server.ts")).serveWaiting,
  client: async () => (await import("./http_client.ts")).callHttp,
  pair: async () => (await import("./in_process.ts")).callInProcess,
};

function usage(): Record<string, number> {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, rssMb: process.memoryUsage().rss / 1024 / 1024 };
}

async function main([name = "", subject = "", number = "1"]: readonly string[]): Promise<void> {
  const load = ROLES[name];
  if (load === undefined) {
    throw new RangeError(`"ROLE" must be server, waiting, client or pair, got "${name}"`);
  }
  const role = await load();
  const commands: Commands = { usage, ...await role(subject, Number(number)) };
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, argument]: [string, unknown] = JSON.parse(line);
    console.log(JSON.stringify(await commands[command]?.(argument) ?? null));
  }
  process.exit(0);
}

await main(process.argv.slice(2));
