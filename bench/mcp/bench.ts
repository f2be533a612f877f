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
import { type Latency, measureLatencies } from "./latency.ts";
import { listContenders, ListSubject } from "./lists.ts";
import { measureServers, type Served, type ServerCost } from "./http.ts";
import { type Connected, connectInProcess, connectStdio, RoundTrip } from "./round_trips.ts";
import {
  measureCpuRounds,
  measureFastestTurns,
  medianRatioOf,
  ratioOf,
  toCpuSpeeds,
} from "../measure.ts";
import { publishReport, type Report, type Table } from "../report.ts";

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
  "hand-made": { subject: "hand-made", tools: 1, version: "2026-07-28" },
  "  asynchronous tool": { subject: "hand-made-async", tools: 1, version: "2026-07-28" },
  "@parley/mcp, Zod": { subject: "parley", tools: 1, version: "2026-07-28" },
  "  asynchronous tool, Zod": { subject: "parley-async", tools: 1, version: "2026-07-28" },
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

const FLOOR = "bare echo";
const HAND_MADE = "hand-made";
const HAND_MADE_ASYNC = "  asynchronous tool";
const OURS = "@parley/mcp, Zod";
const OURS_ASYNC = "  asynchronous tool, Zod";

/** Numbers of concurrent connections. */
const CONNECTIONS = [16, 64, 256] as const;

/** Servers that are measured with concurrent connections. */
const BUSY_SERVERS: readonly (keyof typeof SERVERS)[] = [
  "bare echo",
  "hand-made",
  "  asynchronous tool",
  "@parley/mcp, Zod",
  "  asynchronous tool, Zod",
  "mcp-lite",
];

/** Measures the servers. Returns the costs, keyed by the names used in the tables. */
async function measureCosts(
  names: readonly (keyof typeof SERVERS)[],
  connections: number,
  starts: number,
): Promise<ReadonlyMap<string, ServerCost>> {
  const served = names.map((name): Served => ({ ...SERVERS[name], name, connections }));
  return new Map((await measureServers(served, starts)).map((cost) => [cost.name, cost]));
}

/**
 * Measures the servers with each number of concurrent connections. Returns the processor time per
 * call, keyed by the number and by the names used in the tables.
 */
async function measureBusyServers(): Promise<ReadonlyMap<number, ReadonlyMap<string, number>>> {
  const costs = new Map<number, ReadonlyMap<string, number>>();
  for (const connections of CONNECTIONS) {
    costs.set(connections, cpuOf(await measureCosts(BUSY_SERVERS, connections, 1)));
  }
  return costs;
}

/** Returns the ratios of the servers with concurrent connections. */
function busyRatios(
  costs: ReadonlyMap<number, ReadonlyMap<string, number>>,
): Readonly<Record<string, number>> {
  const entries = [...costs].flatMap(([connections, cpu]) => [
    [`server_cpu_${connections}_vs_floor`, ratioOf(cpu, OURS, FLOOR)],
    [`server_cpu_${connections}_vs_hand_made`, ratioOf(cpu, OURS, HAND_MADE)],
    [`server_cpu_${connections}_vs_mcp_lite`, ratioOf(cpu, OURS, "mcp-lite")],
    [`server_cpu_${connections}_async_vs_sync`, ratioOf(cpu, OURS_ASYNC, OURS)],
    [`server_cpu_${connections}_async_vs_hand_made`, ratioOf(cpu, OURS_ASYNC, HAND_MADE_ASYNC)],
  ]);
  return Object.fromEntries(entries);
}

/** Returns one value of each latency, keyed by contender. */
function valuesOf(
  latencies: ReadonlyMap<string, Latency>,
  key: keyof Latency,
): ReadonlyMap<string, number> {
  return new Map([...latencies].map(([name, latency]) => [name, latency[key]]));
}

/** Returns the ratios of the latencies over stdio. */
function latencyRatios(latencies: ReadonlyMap<string, Latency>): Readonly<Record<string, number>> {
  const { p50 = NaN, p99 = NaN } = latencies.get(RoundTrip.Parley) ?? {};
  const vsFloor = (key: keyof Latency): number =>
    ratioOf(valuesOf(latencies, key), RoundTrip.Parley, RoundTrip.StdioFloor);
  return {
    stdio_mean_vs_floor: vsFloor("mean"),
    stdio_p50_vs_floor: vsFloor("p50"),
    stdio_p98_vs_floor: vsFloor("p98"),
    stdio_p99_vs_floor: vsFloor("p99"),
    stdio_p99_vs_p50: p99 / p50,
  };
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
  const latencies = await connected(connectStdio, measureLatencies);
  const lists = await measureCpuRounds(await listContenders());
  // The keys are those of `SERVERS`, so the cast is safe.
  const names = Object.keys(SERVERS) as (keyof typeof SERVERS)[];
  const one = await measureCosts(names, 1, 3);
  const busy = await measureBusyServers();
  const clients = await measureClientCpu();
  const abortDelays = await measureAbortDelays();
  const [cpu, memory] = [cpuOf(one), memoryOf(one)];
  return {
    tables: [
      { title: "HTTP server: CPU time per call", values: cpu, unit: "us" },
      ...[...busy].map(([connections, values]): Table => ({
        title: `HTTP server: CPU time per call, ${connections} connections`,
        values,
        unit: "us",
      })),
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
      ...(["mean", "p50", "p98", "p99"] as const).map((key): Table => ({
        title: `stdio: time of successive calls, ${key}`,
        values: valuesOf(latencies, key),
        unit: "us",
      })),
      { title: "tools/list of 1000 tools: lists per second", values: toCpuSpeeds(lists) },
    ],
    ratios: {
      server_cpu_vs_floor: ratioOf(cpu, OURS, FLOOR),
      server_cpu_json_schema_vs_floor: ratioOf(cpu, "  JSON Schema", FLOOR),
      server_cpu_vs_mcp_lite: ratioOf(cpu, OURS, "mcp-lite"),
      server_cpu_vs_sdk_v1: ratioOf(cpu, OURS, "SDK v1"),
      server_cpu_vs_sdk_v2: ratioOf(cpu, OURS, "SDK v2"),
      server_cpu_vs_fastmcp: ratioOf(cpu, OURS, "fastmcp"),
      server_cpu_vs_mcp_use: ratioOf(cpu, OURS, "mcp-use"),
      server_cpu_vs_hand_made: ratioOf(cpu, OURS, HAND_MADE),
      server_cpu_async_vs_sync: ratioOf(cpu, OURS_ASYNC, OURS),
      server_cpu_async_vs_hand_made: ratioOf(cpu, OURS_ASYNC, HAND_MADE_ASYNC),
      ...busyRatios(busy),
      server_cpu_1000_tools_vs_1: ratioOf(cpu, "  of 1000 tools", OURS),
      server_cpu_1000_sessions_vs_1: ratioOf(
        cpu,
        "  1000 sessions of 2025",
        "  1 session of 2025",
      ),
      server_memory_vs_floor: ratioOf(memory, OURS, FLOOR),
      server_memory_json_schema_vs_floor: ratioOf(memory, "  JSON Schema", FLOOR),
      server_memory_vs_mcp_lite: ratioOf(memory, OURS, "mcp-lite"),
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
      ...latencyRatios(latencies),
      tools_list_1000_vs_stringify: medianRatioOf(lists, ListSubject.Stringify, ListSubject.Parley),
    },
    promises: PROMISES,
  };
}

process.exit(publishReport(await createReport()));
