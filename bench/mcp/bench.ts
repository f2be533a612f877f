/**
 * Compares `@parley/mcp` with the official SDKs, mcp-lite, fastmcp, mcp-use and a bare echo server.
 *
 *     deno task bench mcp
 *     deno task bench mcp --node
 *
 * HTTP servers and clients run in separate processes. The processor time of each server and client
 * is measured, so the load generator and other programs have little influence. Each contender's
 * result is the fastest of many short turns in several processes. Over stdio, the benchmark
 * measures elapsed time, because the latency of a call matters more than its processor time.
 *
 * The last line is a JSON object that contains all ratios. Exits with code 1 if a ratio is outside
 * its limit in `PROMISES`.
 *
 * @module
 */

import process from "node:process";
import { measureAbortDelays } from "./abort_delay.ts";
import { measureClients } from "./clients.ts";
import { measureServers, type Served, type ServerCost } from "./http.ts";
import { type Connected, connectInProcess, connectStdio, RoundTrip } from "./round_trips.ts";
import {
  measureCpuRounds,
  measureFastestTurns,
  medianRatioOf,
  ratioOf,
  toCpuSpeeds,
} from "../measure.ts";
import { publishReport, type Report } from "../report.ts";

/**
 * Limit for each ratio: a positive value is a minimum, and a negative value `-n` is a maximum of
 * `n`.
 */
const PROMISES = {
  server_cpu_vs_floor: -2,
  server_cpu_vs_mcp_lite: -1,
  server_memory_vs_floor: -1.3,
  server_cpu_1000_tools_vs_1: -1.2,
  server_cpu_1000_sessions_vs_1: -1.2,
  client_cpu_vs_sdk_v1: -1,
  client_cpu_vs_sdk_v2: -1,
  in_process_vs_sdk_v2: 10,
  stdio_time_vs_floor: -1.5,
};

/** Servers, keyed by their names in the tables. */
const SERVERS = {
  "bare echo": { subject: "floor", tools: 1, version: "2026-07-28" },
  "@parley/mcp, Zod": { subject: "parley", tools: 1, version: "2026-07-28" },
  "  of 1000 tools": { subject: "parley", tools: 1000, version: "2026-07-28" },
  "  JSON Schema": { subject: "parley-json-schema", tools: 1, version: "2026-07-28" },
  "  1 session of 2025": { subject: "parley", tools: 1, version: "2025-11-25", sessions: 1 },
  "  1000 sessions of 2025": { subject: "parley", tools: 1, version: "2025-11-25", sessions: 1000 },
  "mcp-lite": { subject: "mcp-lite", tools: 1, version: "2025-06-18" },
  fastmcp: { subject: "fastmcp", tools: 1, version: "2025-06-18" },
  "mcp-use": { subject: "mcp-use", tools: 1, version: "2026-07-28" },
  "SDK v1": { subject: "sdk-v1", tools: 1, version: "2025-06-18" },
  "SDK v2": { subject: "sdk-v2", tools: 1, version: "2026-07-28" },
} as const satisfies Readonly<Record<string, Omit<Served, "name">>>;

const CONCURRENT_CONNECTIONS = 16;

/** Measures the servers. Returns the costs, keyed by the names used in the tables. */
async function measureCosts(
  connections: number,
  starts: number,
): Promise<ReadonlyMap<string, ServerCost>> {
  const served = Object.entries(SERVERS).map(([name, each]) => ({ ...each, name, connections }));
  return new Map((await measureServers(served, starts)).map((cost) => [cost.name, cost]));
}

function cpuOf(costs: ReadonlyMap<string, { readonly cpuUs: number }>): Map<string, number> {
  return new Map([...costs].map(([name, { cpuUs }]) => [name, cpuUs]));
}

function memoryOf(costs: ReadonlyMap<string, ServerCost>): Map<string, number> {
  return new Map([...costs].map(([name, { rssMb }]) => [name, rssMb]));
}

/**
 * Measures the clients. Returns the processor time per call, keyed by the names used in
 * `http_client.ts`.
 */
async function measureClientCpu(): Promise<Map<string, number>> {
  const costs = await measureClients(["fetch", "parley", "sdk-v1", "sdk-v2", "sdk-v2-2025"]);
  return new Map(costs.map(({ name, cpuUs }) => [name, cpuUs]));
}

async function connected<T>(
  connect: () => Promise<readonly Connected[]>,
  use: (contenders: readonly Connected[]) => Promise<T>,
): Promise<T> {
  const contenders = await connect();
  try {
    return await use(contenders);
  } finally {
    for (const { close } of contenders) await close();
  }
}

async function createReport(): Promise<Report> {
  const rounds = await connected(connectInProcess, (all) => measureCpuRounds(all));
  const stdio = await connected(
    connectStdio,
    // Turns are short, so other programs on the machine interrupt a smaller share of the turns.
    (all) => measureFastestTurns(all, { turnMs: 4, totalMs: 600 }),
  );
  const one = await measureCosts(1, 3);
  const many = cpuOf(await measureCosts(CONCURRENT_CONNECTIONS, 1));
  const clients = await measureClientCpu();
  const abortDelays = await measureAbortDelays();
  const [cpu, memory] = [cpuOf(one), memoryOf(one)];
  const [floor, ours] = ["bare echo", "@parley/mcp, Zod"];
  return {
    tables: [
      { title: "HTTP server: CPU time per call", values: cpu, unit: "us" },
      {
        title: `HTTP server: CPU time per call, ${CONCURRENT_CONNECTIONS} connections`,
        values: many,
        unit: "us",
      },
      { title: "HTTP server: memory", values: memory, unit: "MB" },
      { title: "HTTP client: CPU time per call", values: clients, unit: "us" },
      {
        title: "HTTP: median time from the client's abort to the handler's signal",
        values: abortDelays,
        unit: "ms",
      },
      {
        title: "client and server in one process: calls per second of CPU time",
        values: toCpuSpeeds(rounds),
      },
      { title: "client and server over stdio: calls per second", values: stdio },
    ],
    ratios: {
      server_cpu_vs_floor: ratioOf(cpu, ours, floor),
      server_cpu_json_schema_vs_floor: ratioOf(cpu, "  JSON Schema", floor),
      server_cpu_vs_mcp_lite: ratioOf(cpu, ours, "mcp-lite"),
      server_cpu_vs_sdk_v1: ratioOf(cpu, ours, "SDK v1"),
      server_cpu_vs_sdk_v2: ratioOf(cpu, ours, "SDK v2"),
      server_cpu_vs_fastmcp: ratioOf(cpu, ours, "fastmcp"),
      server_cpu_vs_mcp_use: ratioOf(cpu, ours, "mcp-use"),
      server_cpu_busy_vs_floor: ratioOf(many, ours, floor),
      server_cpu_busy_vs_mcp_lite: ratioOf(many, ours, "mcp-lite"),
      server_cpu_1000_tools_vs_1: ratioOf(cpu, "  of 1000 tools", ours),
      server_cpu_1000_sessions_vs_1: ratioOf(
        cpu,
        "  1000 sessions of 2025",
        "  1 session of 2025",
      ),
      server_memory_vs_floor: ratioOf(memory, ours, floor),
      server_memory_json_schema_vs_floor: ratioOf(memory, "  JSON Schema", floor),
      server_memory_vs_mcp_lite: ratioOf(memory, ours, "mcp-lite"),
      client_cpu_vs_fetch: ratioOf(clients, "parley", "fetch"),
      client_cpu_vs_sdk_v1: ratioOf(clients, "parley", "sdk-v1"),
      client_cpu_vs_sdk_v2: Math.max(
        ratioOf(clients, "parley", "sdk-v2"),
        ratioOf(clients, "parley", "sdk-v2-2025"),
      ),
      in_process_vs_fastmcp: medianRatioOf(rounds, RoundTrip.Parley, RoundTrip.FastMcp),
      in_process_vs_sdk_v1: medianRatioOf(rounds, RoundTrip.Parley, RoundTrip.SdkV1),
      in_process_vs_sdk_v2: medianRatioOf(rounds, RoundTrip.Parley, RoundTrip.SdkV2),
      in_process_json_schema_vs_sdk_v2: medianRatioOf(
        rounds,
        RoundTrip.ParleyJsonSchema,
        RoundTrip.SdkV2,
      ),
      in_process_direct_vs_gateway: medianRatioOf(
        rounds,
        RoundTrip.ParleyJsonSchema,
        RoundTrip.ParleyGateway,
      ),
      stdio_time_vs_floor: ratioOf(stdio, RoundTrip.StdioFloor, RoundTrip.Parley),
    },
    promises: PROMISES,
  };
}

process.exit(publishReport(await createReport()));
