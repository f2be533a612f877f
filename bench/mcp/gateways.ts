/**
 * Cost of a gateway with 1,000 tools, by its number of servers, in this process.
 *
 * @module
 */

import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
import { mcpGateway, type Upstream } from "@parley/mcp/gateway";
import { type Contender, type CpuRounds, measureCpuRounds, median } from "../measure.ts";
import type { Growth } from "../report.ts";
import { assertSum } from "./round_trips.ts";
import { INFO, JSON_SCHEMA, toolNames } from "./tool.ts";

/** Numbers of servers behind the measured gateways. */
const SERVERS = [1, 50] as const;

/** Requests to the measured gateways. */
const WORK = ["a list of all tools", "a call"] as const;

const TOOLS = 1000;

/** Measures the requests. Returns the costs of each kind of request by the number of servers. */
export async function measureGateways(): Promise<Growth[]> {
  const rounds = await measureCpuRounds(await gatewayContenders());
  return WORK.map((work) => ({
    name: "servers behind a gateway of 1,000 tools",
    work,
    unit: "us",
    costs: new Map(SERVERS.map((servers) => [servers, costOf(rounds, subject(work, servers))])),
  }));
}

function costOf(rounds: CpuRounds, name: string): number {
  return median((rounds.get(name) ?? []).map(({ cpuUs }) => cpuUs));
}

/** Returns the name of the contender that sends one kind of request to one gateway. */
function subject(work: typeof WORK[number], servers: number): string {
  return `${work}, ${servers} servers`;
}

/**
 * Creates the contenders: lists and calls at a gateway in front of one server with 1,000 tools, and
 * in front of 50 servers with 20 tools each.
 */
async function gatewayContenders(): Promise<Contender[]> {
  const contenders = await Promise.all(SERVERS.map(async (servers) => {
    const client = await connectGateway(servers);
    const tools = await client.listTools();
    const last = tools.at(-1)?.name ?? "";
    if (tools.length !== TOOLS) throw new Error("Cannot measure: wrong list");
    const call = async (): Promise<void> => {
      const { content: [block] } = await client.callTool(last, { a: 1, b: 2 });
      assertSum(block?.type === "text" ? block.text : undefined);
    };
    return [
      { name: subject("a list of all tools", servers), run: () => client.listTools() },
      { name: subject("a call", servers), run: call },
    ];
  }));
  return contenders.flat();
}

async function connectGateway(servers: number): Promise<McpClient> {
  const upstreams = Array.from({ length: servers }, (_, index): [string, Upstream] => {
    const server = new McpServer({ ...INFO, pageSize: TOOLS });
    for (const name of toolNames(TOOLS / servers)) {
      server.registerTool({ name, description: "Adds", inputSchema: JSON_SCHEMA }, () => "3");
    }
    return [`s${index}`, { client: clientOf(server) }];
  });
  const gateway = await mcpGateway({
    ...INFO,
    pageSize: TOOLS,
    upstreams: Object.fromEntries(upstreams),
  });
  const client = clientOf(gateway.server);
  await client.connect();
  return client;
}

function clientOf(server: McpServer): McpClient {
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe), {
    passObjects: true,
  });
  return new McpClient({ transport, clientInfo: INFO });
}
