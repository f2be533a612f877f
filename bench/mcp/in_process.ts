/**
 * Tool calls of a client to a server in the same process.
 *
 * @module
 */

import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
import { mcpGateway } from "@parley/mcp/gateway";
import { median } from "../measure.ts";
import type { Commands } from "./child_protocol.ts";
import {
  loadPeer,
  type SdkClient,
  type SdkClientClass,
  type SdkServerClass,
  type SdkTransport,
} from "./peers.ts";
import { assertSum, type Connected, RoundTrip, toConnected } from "./round_trips.ts";
import { Subject } from "./subject.ts";
import { add, INFO, JSON_SCHEMA, SILENT, zodSchema } from "./tool.ts";

/** Functions that connect the contenders, keyed by name. */
const PAIRS: Readonly<Record<string, () => Promise<Connected>>> = {
  [RoundTrip.Parley]: async () => await connectParley(RoundTrip.Parley, await zodServer()),
  [RoundTrip.ParleyJsonSchema]: () => connectParley(RoundTrip.ParleyJsonSchema, jsonServer()),
  [RoundTrip.ParleyGateway]: () => connectGateway(RoundTrip.ParleyGateway, jsonServer()),
  [RoundTrip.FastMcp]: connectFastMcp,
  [RoundTrip.SdkV1]: connectV1,
  [RoundTrip.SdkV2]: connectV2,
};

/** Time before the measurement, during which the just-in-time compiler makes calls faster. */
const WARM_UP_MS = 1000;
const TURNS = 30;
const TURN_MS = 50;

/**
 * Measures a client and a server in one process. Each contender has a process, because the compiler
 * makes code slower that several contenders share. Returns the calls per second of processor time.
 */
export async function measureInProcess(): Promise<ReadonlyMap<string, number>> {
  const pairs: Subject[] = [];
  try {
    for (const name of Object.keys(PAIRS)) pairs.push(await Subject.start(name, ["pair", name]));
    for (const pair of pairs) await pair.ask("run", WARM_UP_MS);
    const costs = new Map(pairs.map(({ name }): [string, number[]] => [name, []]));
    for (let turn = 0; turn < TURNS; turn++) {
      for (const pair of pairs) {
        let calls: unknown;
        const cpuUs = await pair.spent(async () => calls = await pair.ask("run", TURN_MS));
        costs.get(pair.name)?.push(cpuUs / Number(calls));
      }
    }
    return new Map([...costs].map(([name, values]) => [name, 1e6 / median(values)]));
  } finally {
    for (const pair of pairs) await pair.stop();
  }
}

/**
 * Connects a contender within this process. The command `run` calls the tool for a number of
 * milliseconds, and returns the number of calls.
 */
export async function callInProcess(subject: string): Promise<Commands> {
  const connect = PAIRS[subject];
  if (connect === undefined) throw new RangeError(`Unknown pair "${subject}"`);
  const { run } = await connect();
  return {
    async run(durationMs): Promise<number> {
      const end = performance.now() + Number(durationMs);
      let calls = 0;
      while (performance.now() < end) {
        await run();
        calls++;
      }
      return calls;
    },
  };
}

async function zodServer(): Promise<McpServer> {
  const server = new McpServer(INFO);
  const inputSchema = await zodSchema();
  server.registerTool({ name: "add", description: "Adds", inputSchema }, add);
  return server;
}

function jsonServer(): McpServer {
  const server = new McpServer(INFO);
  server.registerTool({ name: "add", description: "Adds", inputSchema: JSON_SCHEMA }, add);
  return server;
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

async function connectV1(): Promise<Connected> {
  const zod = await loadPeer("zod");
  const { McpServer: Server } = await loadPeer("@modelcontextprotocol/sdk/server/mcp.js");
  const { Client } = await loadPeer("@modelcontextprotocol/sdk/client/index.js");
  const { InMemoryTransport } = await loadPeer("@modelcontextprotocol/sdk/inMemory.js");
  const schema = { a: zod.number(), b: zod.number() };
  return await connectSdk(
    RoundTrip.SdkV1,
    Server,
    Client,
    schema,
    InMemoryTransport.createLinkedPair(),
  );
}

async function connectV2(): Promise<Connected> {
  const { InMemoryTransport, McpServer: Server } = await loadPeer("@modelcontextprotocol/server");
  const { Client } = await loadPeer("@modelcontextprotocol/client");
  return await connectSdk(
    RoundTrip.SdkV2,
    Server,
    Client,
    await zodSchema(),
    InMemoryTransport.createLinkedPair(),
  );
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
async function connectFastMcp(): Promise<Connected> {
  const { Client } = await loadPeer("@modelcontextprotocol/sdk/client/index.js");
  const { InMemoryTransport } = await loadPeer("@modelcontextprotocol/sdk/inMemory.js");
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
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
