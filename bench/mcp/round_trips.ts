/**
 * Round trips of a tool call without network access, in one process and over stdio.
 *
 * @module
 */

import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
import { mcpGateway } from "@parley/mcp/gateway";
import { spawnServer } from "@parley/mcp/process";
import { spawn } from "node:child_process";
import type { Contender } from "../measure.ts";
import {
  loadPeer,
  type SdkClient,
  type SdkClientClass,
  type SdkServerClass,
  type SdkTransport,
} from "./peers.ts";
import { commandOf } from "./subject.ts";
import { add, callText, INFO, JSON_SCHEMA, SILENT, zodSchema } from "./tool.ts";

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

/** Connects the contenders within this process. */
export async function connectInProcess(): Promise<Connected[]> {
  const inputSchema = await zodSchema();
  const zod = await loadPeer("zod");
  const { McpServer: V1Server } = await loadPeer("@modelcontextprotocol/sdk/server/mcp.js");
  const { Client: V1Client } = await loadPeer("@modelcontextprotocol/sdk/client/index.js");
  const { InMemoryTransport: V1Pair } = await loadPeer("@modelcontextprotocol/sdk/inMemory.js");
  const { InMemoryTransport: V2Pair, McpServer: V2Server } = await loadPeer(
    "@modelcontextprotocol/server",
  );
  const { Client: V2Client } = await loadPeer("@modelcontextprotocol/client");
  const ofZod = new McpServer(INFO);
  ofZod.registerTool({ name: "add", description: "Adds", inputSchema }, add);
  const ofJson = new McpServer(INFO);
  ofJson.registerTool({ name: "add", description: "Adds", inputSchema: JSON_SCHEMA }, add);
  const v1Schema = { a: zod.number(), b: zod.number() };
  return [
    await connectParley(RoundTrip.Parley, ofZod),
    await connectParley(RoundTrip.ParleyJsonSchema, ofJson),
    await connectGateway(RoundTrip.ParleyGateway, ofJson),
    await connectFastMcp(V1Client, V1Pair.createLinkedPair()),
    await connectSdk(RoundTrip.SdkV1, V1Server, V1Client, v1Schema, V1Pair.createLinkedPair()),
    await connectSdk(RoundTrip.SdkV2, V2Server, V2Client, inputSchema, V2Pair.createLinkedPair()),
  ];
}

async function connectParley(name: string, server: McpServer): Promise<Connected> {
  const client = clientOf(server);
  await client.connect();
  return toConnected(name, client);
}

/** Connects a client to a gateway in front of a server. */
async function connectGateway(name: string, server: McpServer): Promise<Connected> {
  const upstreams = { server: { client: clientOf(server), prefix: "" } };
  const gateway = await mcpGateway({ ...INFO, upstreams });
  const connected = await connectParley(name, gateway.server);
  const close = async (): Promise<void> => {
    await connected.close();
    await gateway.close();
  };
  return { ...connected, close };
}

function clientOf(server: McpServer): McpClient {
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe), {
    passObjects: true,
  });
  return new McpClient({ transport, clientInfo: INFO });
}

async function connectSdk(
  name: string,
  Server: SdkServerClass,
  Client: SdkClientClass,
  inputSchema: unknown,
  [clientSide, serverSide]: readonly [SdkTransport, SdkTransport],
): Promise<Connected> {
  const server = new Server(INFO);
  server.registerTool("add", { inputSchema }, add);
  const client = new Client(INFO);
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return toSdkConnected(name, client);
}

/** Connects a client of SDK v1 to a fastmcp server, as fastmcp documents for tests. */
async function connectFastMcp(
  Client: SdkClientClass,
  [clientSide, serverSide]: readonly [SdkTransport, SdkTransport],
): Promise<Connected> {
  const { FastMCP } = await loadPeer("fastmcp");
  const server = new FastMCP({ ...INFO, logger: SILENT });
  server.addTool({
    name: "add",
    description: "Adds",
    parameters: await zodSchema(),
    execute: (sum) => Promise.resolve(add(sum)),
  });
  const client = new Client(INFO);
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return toSdkConnected(RoundTrip.FastMcp, client);
}

function toSdkConnected(name: string, client: SdkClient): Connected {
  return {
    name,
    async run(): Promise<void> {
      const { content } = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
      assertSum(content[0]?.text);
    },
    close: () => client.close(),
  };
}

/** Number of processes per contender over stdio. */
const STARTS = 6;

/**
 * Connects the contenders over stdio. The wake-up time of a process varies by a factor of four,
 * depending on the processors that run the client and the server. The operating system rarely moves
 * a process to another processor. Each contender therefore runs in several processes, and the
 * fastest process determines the contender's result.
 */
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

function toConnected(name: string, client: McpClient): Connected {
  return {
    name,
    async run(): Promise<void> {
      const { content: [block] } = await client.callTool("add", { a: 1, b: 2 });
      assertSum(block?.type === "text" ? block.text : undefined);
    },
    close: () => client.disconnect(),
  };
}

function assertSum(text: string | undefined): void {
  if (text !== "3") throw new Error("Cannot measure: a contender returned a wrong result");
}
