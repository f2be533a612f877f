/**
 * Cost of a tool call for HTTP servers.
 *
 * @module
 */

import { median } from "../measure.ts";
import { HttpConnection } from "./http_load.ts";
import { type ProcessRuntime, Subject } from "./subject.ts";
import { callHeaders, callText, initializeText, type ProtocolVersion } from "./tool.ts";

/** A server to measure, and the load on it. */
export interface Served {
  /** Name of the server in the tables. */
  readonly name: string;
  /** Key of the server in `http_server.ts`. */
  readonly subject: string;
  /** Number of registered tools. */
  readonly tools: number;
  /** Protocol version used by the calls. */
  readonly version: ProtocolVersion;
  /** Number of open sessions. If omitted, calls are made without a session. */
  readonly sessions?: number;
  /** Number of concurrent connections. */
  readonly connections?: number;
  /** Runtime of the server. If omitted, the server runs on the current runtime. */
  readonly runtime?: ProcessRuntime;
}

/** Cost of a server. */
export interface ServerCost {
  readonly name: string;
  /** Processor time per call in the median turn of the fastest process, in microseconds. */
  readonly cpuUs: number;
  /** Smallest resident set size of a process after all calls, in megabytes. */
  readonly rssMb: number;
}

/** Until about this number of calls, the just-in-time compiler still makes a server faster. */
const WARM_UP = 12_000;
/** Maximum duration of the warm-up, for servers that take much longer per call. */
const MAX_WARM_UP_MS = 5_000;
const TURNS = 15;
const MIN_CALLS_PER_TURN = 300;
const MIN_CALLS_PER_CONNECTION = 4;

class Target {
  readonly process: Subject;
  readonly #served: Served;
  readonly #connections: readonly HttpConnection[];
  readonly #sessionIds: readonly string[];
  readonly costs: number[] = [];
  #calls = 0;

  constructor(
    process: Subject,
    served: Served,
    connections: readonly HttpConnection[],
    sessionIds: readonly string[],
  ) {
    this.process = process;
    this.#served = served;
    this.#connections = connections;
    this.#sessionIds = sessionIds;
  }

  static async start(served: Served): Promise<Target> {
    const { name, subject, tools, sessions = 0, connections = 1, runtime } = served;
    const process = await Subject.start(name, ["server", subject, String(tools)], { runtime });
    const port = Number(await process.ask("port"));
    const opened: HttpConnection[] = [];
    while (opened.length < connections) opened.push(new HttpConnection(port));
    const ids: string[] = [];
    for (const connection of opened.slice(0, 1)) {
      while (ids.length < sessions) ids.push(await openSession(connection));
    }
    return new Target(process, served, opened, ids);
  }

  /** Calls the tool repeatedly and verifies the results. */
  async call(count: number): Promise<void> {
    let left = count;
    await Promise.all(this.#connections.map(async (connection) => {
      while (left-- > 0) await this.#callOnce(connection);
    }));
  }

  async warmUp(): Promise<void> {
    const startedAt = performance.now();
    for (let calls = 0; calls < WARM_UP; calls += WARM_UP / 20) {
      await this.call(WARM_UP / 20);
      if (performance.now() - startedAt > MAX_WARM_UP_MS) return;
    }
  }

  async takeTurn(): Promise<void> {
    const calls = Math.max(MIN_CALLS_PER_TURN, MIN_CALLS_PER_CONNECTION * this.#connections.length);
    this.costs.push(await this.process.spent(() => this.call(calls)) / calls);
  }

  async stop(): Promise<void> {
    for (const connection of this.#connections) connection.close();
    await this.process.stop();
  }

  async #callOnce(connection: HttpConnection): Promise<void> {
    const { name, version } = this.#served;
    const id = ++this.#calls;
    const sessionId = this.#sessionIds[id % this.#sessionIds.length];
    const { status, body } = await connection.post(
      callHeaders(version, sessionId),
      callText(id, version),
    );
    if (status === 200 && body.includes(`"text":"${id + 2}"`)) return;
    throw new Error(`Cannot measure "${name}": the server returned ${status} ${body}`);
  }
}

async function openSession(connection: HttpConnection): Promise<string> {
  const { head } = await connection.post(callHeaders("2025-11-25"), initializeText());
  const id = /\r\nmcp-session-id: *(\S+)/i.exec(head)?.[1];
  if (id === undefined) throw new Error("Cannot open a session: the response has no session id");
  const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  await connection.post(callHeaders("2025-11-25", id), initialized);
  return id;
}

/**
 * Measures the servers. Returns the lowest cost of each server.
 *
 * @param starts Number of processes per server. The just-in-time compiler does not compile each
 * process alike.
 */
export async function measureServers(
  all: readonly Served[],
  starts: number,
): Promise<ServerCost[]> {
  const costs = new Map<string, ServerCost>();
  for (let start = 0; start < starts; start++) {
    for (const { name, cpuUs, rssMb } of await measureProcesses(all)) {
      const best = costs.get(name);
      costs.set(name, {
        name,
        cpuUs: Math.min(cpuUs, best?.cpuUs ?? Infinity),
        rssMb: Math.min(rssMb, best?.rssMb ?? Infinity),
      });
    }
  }
  return [...costs.values()];
}

/**
 * Measures one process of each server. The processes take turns, so that noise on the machine
 * affects all of them equally.
 */
async function measureProcesses(all: readonly Served[]): Promise<ServerCost[]> {
  const targets: Target[] = [];
  try {
    for (const served of all) targets.push(await Target.start(served));
    for (const target of targets) await target.warmUp();
    for (let turn = 0; turn < TURNS; turn++) {
      for (const target of targets) await target.takeTurn();
    }
    return await Promise.all(targets.map(async ({ process, costs }) => ({
      name: process.name,
      cpuUs: median(costs),
      rssMb: (await process.usage()).rssMb,
    })));
  } finally {
    for (const target of targets) await target.stop();
  }
}
