/**
 * A process that is measured: does what its role is and, on request, tells what it has used.
 *
 *     child.ts ROLE SUBJECT [NUMBER]
 *
 * It reads commands as lines of JSON, `[name, number]`, and answers each by one line.
 *
 * @module
 */

import process from "node:process";
import { createInterface } from "node:readline";
import type { ChildRole, Commands } from "./child_protocol.ts";

// What a role does not need is not loaded: memory is measured as well.
const ROLES: Readonly<Record<string, () => Promise<ChildRole>>> = {
  server: async () => (await import("./http_server.ts")).serveHttp,
  client: async () => (await import("./http_client.ts")).callHttp,
};

function usage(): Record<string, number> {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, rssMb: process.memoryUsage().rss / 1024 / 1024 };
}

async function main([name = "", subject = "", number = "1"]: readonly string[]): Promise<void> {
  const load = ROLES[name];
  if (load === undefined) throw new RangeError(`Cannot play "${name}": there is no such role`);
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
