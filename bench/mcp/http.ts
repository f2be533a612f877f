/**
 * What a call of a tool costs a server over HTTP.
 *
 * @module
 */

import { HttpConnection } from "./http_load.ts";
import { Subject } from "./subject.ts";
import { callHeaders, callText, initializeText, type ProtocolVersion } from "./tool.ts";

/** A server and how it is called. */
export interface Served {
  /** What to call it in tables. */
  readonly name: string;
  /** Which one, see `http_server.ts`. */
  readonly subject: string;
  /** How many tools it offers. */
  readonly tools: number;
  /** Which protocol it is called in. */
  readonly version: ProtocolVersion;
  /** How many sessions are open; without any, calls belong to none. */
  readonly sessions?: number;
  /** How many connections are busy at once. */
  readonly connections?: number;
}

/** What was found out about a server. */
export interface ServerCost {
  readonly name: string;
  /** Time of its processors for one call, in microseconds: the least of all turns. */
  readonly cpuUs: number;
  /** Its memory after all calls, in megabytes. */
  readonly rssMb: number;
}

const WARM_UP = 12_000;
const TURNS = 25;
const CALLS_PER_TURN = 300;

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
    const { name, subject, tools, sessions = 0, connections = 1 } = served;
    const process = await Subject.start(name, "server", subject, String(tools));
    const port = Number(await process.ask("port"));
    const opened: HttpConnection[] = [];
    while (opened.length < connections) opened.push(new HttpConnection(port));
    const ids: string[] = [];
    for (const connection of opened.slice(0, 1)) {
      while (ids.length < sessions) ids.push(await openSession(connection));
    }
    return new Target(process, served, opened, ids);
  }

  /** Makes so many calls and looks at the answers. */
  async call(count: number): Promise<void> {
    let left = count;
    await Promise.all(this.#connections.map(async (connection) => {
      while (left-- > 0) await this.#callOnce(connection);
    }));
  }

  async takeTurn(): Promise<void> {
    this.costs.push(await this.process.spent(() => this.call(CALLS_PER_TURN)) / CALLS_PER_TURN);
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
    throw new Error(`Cannot measure "${name}": it answered ${status} ${body}`);
  }
}

async function openSession(connection: HttpConnection): Promise<string> {
  const { head } = await connection.post(callHeaders("2025-11-25"), initializeText());
  const id = /\r\nmcp-session-id: *(\S+)/i.exec(head)?.[1];
  if (id === undefined) throw new Error("Cannot go on: the server opened no session");
  const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  await connection.post(callHeaders("2025-11-25", id), initialized);
  return id;
}

/** Measures servers side by side: they take turns, so that a noisy machine disturbs all of them alike. */
export async function measureServers(all: readonly Served[]): Promise<ServerCost[]> {
  const targets: Target[] = [];
  try {
    for (const served of all) targets.push(await Target.start(served));
    for (const target of targets) await target.call(WARM_UP);
    for (let turn = 0; turn < TURNS; turn++) {
      for (const target of targets) await target.takeTurn();
    }
    return await Promise.all(targets.map(async ({ process, costs }) => ({
      name: process.name,
      cpuUs: Math.min(...costs),
      rssMb: (await process.usage()).rssMb,
    })));
  } finally {
    for (const target of targets) await target.stop();
  }
}
