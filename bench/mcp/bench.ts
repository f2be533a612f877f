/**
 * Compares `@parley/mcp` with the official SDKs, mcp-lite, fastmcp, mcp-use, a bare echo server and
 * a server written by hand.
 *
 *     deno task bench mcp
 *     deno task bench mcp --node
 *
 * HTTP servers and clients run in separate processes, on another processor than the load generator.
 * The processor time of each server and client is measured, so the load generator and other
 * programs have little influence. The result of a server is the median of many short turns in the
 * fastest of several processes. Over stdio, the benchmark measures the elapsed time of each call,
 * because the latency of a call matters more than its processor time.
 *
 * The last line is a JSON object that contains all ratios. Exits with code 1 if a ratio is outside
 * its limit in `PROMISES`.
 *
 * @module
 */

import process from "node:process";
import { moveToProcessor, Processor } from "./affinity.ts";
import { measureAbortDelays } from "./abort_delay.ts";
import { measureChecks } from "./checks.ts";
import { measureClients } from "./clients.ts";
import { measureInProcess } from "./in_process.ts";
import { measureLatencies } from "./latency.ts";
import { measureGateways } from "./gateways.ts";
import { listContenders, ListSubject } from "./lists.ts";
import { measureServers, type Served, type ServerCost } from "./http.ts";
import { PROMISES } from "./promises.ts";
import { connectStdio, RoundTrip } from "./round_trips.ts";
import type { ProcessRuntime } from "./subject.ts";
import { type Latency, measureCpuRounds, medianRatioOf, ratioOf, toCpuSpeeds } from "../measure.ts";
import { type Growth, growthRatio, publishReport, type Report, type Table } from "../report.ts";

/** A server whose calls belong to sessions of the legacy protocol. */
const LEGACY = { subject: "parley-json-schema", tools: 1, version: "2025-11-25" } as const;

/** Servers, keyed by their names in the tables. */
const SERVERS = {
  "bare echo": { subject: "floor", tools: 1, version: "2026-07-28" },
  "hand-made": { subject: "hand-made", tools: 1, version: "2026-07-28" },
  "hand-made, async tool": { subject: "hand-made-async", tools: 1, version: "2026-07-28" },
  "@parley/mcp, Zod": { subject: "parley", tools: 1, version: "2026-07-28" },
  "@parley/mcp, async tool": { subject: "parley-async", tools: 1, version: "2026-07-28" },
  "@parley/mcp, 100 tools": { subject: "parley", tools: 100, version: "2026-07-28" },
  "@parley/mcp, 1,000 tools": { subject: "parley", tools: 1000, version: "2026-07-28" },
  "@parley/mcp, JSON Schema": { subject: "parley-json-schema", tools: 1, version: "2026-07-28" },
  "@parley/mcp, 1 session": { ...LEGACY, sessions: 1 },
  "@parley/mcp, 100 sessions": { ...LEGACY, sessions: 100 },
  "@parley/mcp, 1,000 sessions": { ...LEGACY, sessions: 1000 },
  "mcp-lite": { subject: "mcp-lite", tools: 1, version: "2025-06-18" },
  fastmcp: { subject: "fastmcp", tools: 1, version: "2025-06-18" },
  "mcp-use": { subject: "mcp-use", tools: 1, version: "2026-07-28" },
  "SDK v1": { subject: "sdk-v1", tools: 1, version: "2025-06-18" },
  "SDK v2": { subject: "sdk-v2", tools: 1, version: "2026-07-28" },
} as const satisfies Readonly<Record<string, Omit<Served, "name">>>;

const FLOOR = "bare echo";
const HAND_MADE = "hand-made";
const HAND_MADE_ASYNC = "hand-made, async tool";
const OURS = "@parley/mcp, Zod";
const OURS_ASYNC = "@parley/mcp, async tool";
const OURS_JSON = "@parley/mcp, JSON Schema";
const TOOLS_100 = "@parley/mcp, 100 tools";
const TOOLS_1000 = "@parley/mcp, 1,000 tools";
const SESSION_1 = "@parley/mcp, 1 session";
const SESSIONS_100 = "@parley/mcp, 100 sessions";
const SESSIONS_1000 = "@parley/mcp, 1,000 sessions";

/** Servers that also run on Node.js. */
const NODE_SERVERS: readonly (keyof typeof SERVERS)[] = [
  FLOOR,
  HAND_MADE,
  OURS,
  "mcp-lite",
  "SDK v1",
];

const LATENCIES = ["mean", "p50", "p98", "p99"] as const;

/** Servers with other numbers of tools or sessions, which are part of the growing costs. */
const GROWING: readonly string[] = [
  TOOLS_100,
  TOOLS_1000,
  SESSION_1,
  SESSIONS_100,
  SESSIONS_1000,
];

/** Servers whose memory is not shown, because it is that of another server. */
const WITHOUT_MEMORY: readonly string[] = [
  HAND_MADE_ASYNC,
  OURS_ASYNC,
  TOOLS_100,
  SESSION_1,
  SESSIONS_100,
];

/** Servers that receive invalid requests. */
const CHECKED_SERVERS: readonly (keyof typeof SERVERS)[] = [
  FLOOR,
  HAND_MADE,
  OURS,
  "mcp-lite",
  "fastmcp",
  "mcp-use",
  "SDK v1",
  "SDK v2",
];

/** Numbers of concurrent connections. */
const CONNECTIONS = [16, 64, 256] as const;

/** Servers that are measured with concurrent connections. */
const BUSY_SERVERS: readonly (keyof typeof SERVERS)[] = [
  FLOOR,
  HAND_MADE,
  HAND_MADE_ASYNC,
  OURS,
  OURS_ASYNC,
  "mcp-lite",
];

/** Load on the servers. */
interface Load {
  /** Number of concurrent connections. */
  readonly connections: number;
  /** Number of processes per server. */
  readonly starts: number;
  /** Runtime of the servers. If omitted, they run on the current runtime. */
  readonly runtime?: ProcessRuntime;
}

/** Measures the servers. Returns the costs, keyed by the names used in the tables. */
async function measureCosts(
  names: readonly (keyof typeof SERVERS)[],
  { starts, ...load }: Load,
): Promise<ReadonlyMap<string, ServerCost>> {
  const served = names.map((name): Served => ({ ...SERVERS[name], ...load, name }));
  return new Map((await measureServers(served, starts)).map((cost) => [cost.name, cost]));
}

/**
 * Measures the servers with each number of concurrent connections. Returns the processor time per
 * call, keyed by the number and by the names used in the tables.
 */
async function measureBusyServers(): Promise<ReadonlyMap<number, ReadonlyMap<string, number>>> {
  const costs = new Map<number, ReadonlyMap<string, number>>();
  for (const connections of CONNECTIONS) {
    costs.set(connections, cpuOf(await measureCosts(BUSY_SERVERS, { connections, starts: 2 })));
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
    [`hand_made_cpu_${connections}_vs_floor`, ratioOf(cpu, HAND_MADE, FLOOR)],
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

/** Returns the costs of a call, by the names of the servers of each size. */
function growthOf(
  name: string,
  cpu: ReadonlyMap<string, number>,
  servers: Readonly<Record<number, string>>,
): Growth {
  const costs = Object.entries(servers).map(([size, server]): [number, number] => [
    Number(size),
    cpu.get(server) ?? NaN,
  ]);
  return { name, work: "an HTTP call", unit: "us", costs: new Map(costs) };
}

/** Returns the values without some of the rows. */
function without(
  values: ReadonlyMap<string, number>,
  omitted: readonly string[],
): ReadonlyMap<string, number> {
  return new Map([...values].filter(([name]) => !omitted.includes(name)));
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

/** Measures the latencies over stdio, and closes the contenders. */
async function measureStdio(): Promise<ReadonlyMap<string, Latency>> {
  const contenders = await connectStdio();
  try {
    return await measureLatencies(contenders);
  } finally {
    for (const { close } of contenders) await close();
  }
}

async function createReport(): Promise<Report> {
  moveToProcessor(Processor.Load, process.pid);
  const inProcess = await measureInProcess();
  const latencies = await measureStdio();
  const lists = await measureCpuRounds(await listContenders());
  const gateways = await measureGateways();
  // The keys are those of `SERVERS`, so the cast is safe.
  const names = Object.keys(SERVERS) as (keyof typeof SERVERS)[];
  const one = await measureCosts(names, { connections: 1, starts: 3 });
  const onNode = cpuOf(
    await measureCosts(NODE_SERVERS, { connections: 1, starts: 3, runtime: "node" }),
  );
  const busy = await measureBusyServers();
  const clients = await measureClientCpu();
  const abortDelays = await measureAbortDelays();
  const checks = await measureChecks(
    CHECKED_SERVERS.map((name): Served => ({ ...SERVERS[name], name })),
  );
  const [cpu, memory] = [cpuOf(one), memoryOf(one)];
  const growth = {
    tools: growthOf("registered tools", cpu, { 1: OURS, 100: TOOLS_100, 1000: TOOLS_1000 }),
    sessions: growthOf("open sessions", cpu, {
      1: SESSION_1,
      100: SESSIONS_100,
      1000: SESSIONS_1000,
    }),
  };
  return {
    growth: [...Object.values(growth), ...gateways],
    checks,
    tables: [
      { title: "HTTP server: CPU time per call", values: without(cpu, GROWING), unit: "us" },
      ...[...busy].map(([connections, values]): Table => ({
        title: `HTTP server: CPU time per call, ${connections} connections`,
        values,
        unit: "us",
      })),
      { title: "HTTP server on Node.js 22: CPU time per call", values: onNode, unit: "us" },
      { title: "HTTP server: memory", values: without(memory, WITHOUT_MEMORY), unit: "MB" },
      { title: "HTTP client: CPU time per call", values: clients, unit: "us" },
      {
        title: "HTTP: median time from the client's abort to the handler's signal",
        values: abortDelays,
        unit: "ms",
      },
      {
        title: "client and server in one process: calls per second of CPU time",
        values: inProcess,
      },
      {
        title: "stdio: time of successive calls",
        values: new Map(
          LATENCIES.flatMap((key) =>
            [...latencies].map(([name, latency]) => [`${name}, ${key}`, latency[key]] as const)
          ),
        ),
        unit: "us",
      },
      { title: "tools/list of 1000 tools: lists per second", values: toCpuSpeeds(lists) },
    ],
    ratios: {
      server_cpu_vs_floor: ratioOf(cpu, OURS, FLOOR),
      server_cpu_json_schema_vs_floor: ratioOf(cpu, OURS_JSON, FLOOR),
      server_cpu_vs_mcp_lite: ratioOf(cpu, OURS, "mcp-lite"),
      server_cpu_vs_sdk_v1: ratioOf(cpu, OURS, "SDK v1"),
      server_cpu_vs_sdk_v2: ratioOf(cpu, OURS, "SDK v2"),
      server_cpu_vs_fastmcp: ratioOf(cpu, OURS, "fastmcp"),
      server_cpu_vs_mcp_use: ratioOf(cpu, OURS, "mcp-use"),
      server_cpu_vs_hand_made: ratioOf(cpu, OURS, HAND_MADE),
      hand_made_cpu_vs_floor: ratioOf(cpu, HAND_MADE, FLOOR),
      server_cpu_async_vs_sync: ratioOf(cpu, OURS_ASYNC, OURS),
      server_cpu_async_vs_hand_made: ratioOf(cpu, OURS_ASYNC, HAND_MADE_ASYNC),
      ...busyRatios(busy),
      server_cpu_node_vs_floor: ratioOf(onNode, OURS, FLOOR),
      server_cpu_node_vs_hand_made: ratioOf(onNode, OURS, HAND_MADE),
      server_cpu_node_vs_mcp_lite: ratioOf(onNode, OURS, "mcp-lite"),
      sdk_v1_server_cpu_node_vs_parley: ratioOf(onNode, "SDK v1", OURS),
      server_cpu_1000_tools_vs_1: growthRatio(growth.tools),
      server_cpu_1000_sessions_vs_1: growthRatio(growth.sessions),
      server_memory_vs_floor: ratioOf(memory, OURS, FLOOR),
      server_memory_json_schema_vs_floor: ratioOf(memory, OURS_JSON, FLOOR),
      server_memory_1000_sessions_vs_floor: ratioOf(memory, SESSIONS_1000, FLOOR),
      server_memory_vs_mcp_lite: ratioOf(memory, OURS, "mcp-lite"),
      client_cpu_vs_fetch: ratioOf(clients, "parley", "fetch"),
      client_cpu_vs_sdk_v1: ratioOf(clients, "parley", "sdk-v1"),
      client_cpu_vs_sdk_v2: Math.max(
        ratioOf(clients, "parley", "sdk-v2"),
        ratioOf(clients, "parley", "sdk-v2-2025"),
      ),
      in_process_vs_fastmcp: ratioOf(
        inProcess,
        RoundTrip.Parley,
        RoundTrip.FastMcp,
      ),
      in_process_vs_sdk_v1: ratioOf(
        inProcess,
        RoundTrip.Parley,
        RoundTrip.SdkV1,
      ),
      in_process_vs_sdk_v2: ratioOf(
        inProcess,
        RoundTrip.Parley,
        RoundTrip.SdkV2,
      ),
      in_process_json_schema_vs_sdk_v2: ratioOf(
        inProcess,
        RoundTrip.ParleyJsonSchema,
        RoundTrip.SdkV2,
      ),
      in_process_direct_vs_gateway: ratioOf(
        inProcess,
        RoundTrip.ParleyJsonSchema,
        RoundTrip.ParleyGateway,
      ),
      ...latencyRatios(latencies),
      tools_list_1000_vs_stringify: medianRatioOf(lists, ListSubject.Stringify, ListSubject.Parley),
    },
    promises: PROMISES,
  };
}

process.exit(publishReport(await createReport()));
