/**
 * Cost of a tool call for HTTP clients.
 *
 * @module
 */

import { Processor } from "./affinity.ts";
import { Subject } from "./subject.ts";

/** Cost of a client. */
export interface ClientCost {
  readonly name: string;
  /** Processor time per call in the fastest turn, in microseconds. */
  readonly cpuUs: number;
}

const WARM_UP = 1500;
const TURNS = 15;
const CALLS_PER_TURN = 150;

/** Measures the clients, which take turns, with one server for all clients. */
export async function measureClients(subjects: readonly string[]): Promise<ClientCost[]> {
  const server = await Subject.start("server", ["server", "parley", "1"], {
    processor: Processor.Load,
  });
  const clients: Subject[] = [];
  try {
    const port = String(await server.ask("port"));
    for (const name of subjects) clients.push(await Subject.start(name, ["client", name, port]));
    for (const client of clients) await client.ask("run", WARM_UP);
    const costs = new Map<Subject, number>();
    for (let turn = 0; turn < TURNS; turn++) {
      for (const client of clients) {
        const cpuUs = await client.spent(() => client.ask("run", CALLS_PER_TURN));
        costs.set(client, Math.min(costs.get(client) ?? Infinity, cpuUs / CALLS_PER_TURN));
      }
    }
    return [...costs].map(([{ name }, cpuUs]) => ({ name, cpuUs }));
  } finally {
    for (const subject of [...clients, server]) await subject.stop();
  }
}
