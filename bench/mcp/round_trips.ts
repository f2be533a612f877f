/**
 * Round trips of a tool call over stdio.
 *
 * @module
 */

import { McpClient } from "@parley/mcp";
import { spawnServer } from "@parley/mcp/process";
import { spawn } from "node:child_process";
import type { Contender } from "../measure.ts";
import { commandOf } from "./subject.ts";
import { callText } from "./tool.ts";

/** A contender that must be closed after the measurement. */
export interface Connected extends Contender {
  readonly close: () => Promise<void>;
}

/** Names of the contenders, as shown in the tables. */
export const RoundTrip = {
  Parley: "@parley/mcp, Zod",
  ParleyJsonSchema: "@parley/mcp, JSON Schema",
  ParleyGateway: "@parley/mcp, through a gateway",
  FastMcp: "fastmcp, client of SDK v1",
  SdkV1: "SDK v1",
  SdkV2: "SDK v2",
  StdioFloor: "bare lines",
} as const;

/** Number of processes per contender. The fastest one determines the contender's result. */
const STARTS = 3;

/** Connects the contenders over stdio. */
export async function connectStdio(): Promise<Connected[]> {
  const contenders: Connected[] = [];
  for (let start = 0; start < STARTS; start++) {
    const client = new McpClient({ transport: spawnServer(...commandOf("stdio_server", [])) });
    await client.connect();
    contenders.push(connectFloor(), toConnected(RoundTrip.Parley, client));
  }
  return contenders;
}

/** Connects the minimal client, which exchanges lines of JSON with the server. */
function connectFloor(): Connected {
  const [command, args] = commandOf("stdio_floor", []);
  // The minimal server runs in a new process group, as servers started by `spawnServer` do. Linux
  // divides processor time between process groups, so a server in the benchmark's group would wake
  // sooner than a server in a separate group, and the comparison would favor the server in the
  // benchmark's group.
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], detached: true });
  const line = callText(1, "2026-07-28");
  let text = "";
  let onResponse = (_line: string): void => {};
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    text += chunk;
    const end = text.indexOf("\n");
    if (end === -1) return;
    onResponse(text.slice(0, end));
    text = text.slice(end + 1);
  });
  return {
    name: RoundTrip.StdioFloor,
    async run(): Promise<void> {
      const response = new Promise<string>((resolve) => onResponse = resolve);
      child.stdin.write(`${line}\n`);
      assertSum(JSON.parse(await response).result.content[0].text);
    },
    async close(): Promise<void> {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      await exited;
    },
  };
}

/** Returns the contender that calls the tool with a client. */
export function toConnected(name: string, client: McpClient): Connected {
  return {
    name,
    async run(): Promise<void> {
      const { content: [block] } = await client.callTool("add", { a: 1, b: 2 });
      assertSum(block?.type === "text" ? block.text : undefined);
    },
    close: () => client.disconnect(),
  };
}

/** Throws unless the text of a result is the expected sum. */
export function assertSum(text: string | undefined): void {
  if (text !== "3") throw new Error("Cannot measure: a contender returned a wrong result");
}
