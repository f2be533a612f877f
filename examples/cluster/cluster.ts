/**
 * The cluster: PostgreSQL, two replicas of an MCP server behind a load balancer, three workers and
 * a requester.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { createSigner } from "@parley/comm";
import { ToolError } from "../../tools/cli.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { Chaos } from "./chaos.ts";
import { startDatabase } from "./database.ts";
import type { ClusterEvent } from "./events.ts";
import { ITEMS_PER_ORDER } from "./orders.ts";
import { type Proof, prove } from "./proof.ts";
import { Supervisor } from "./supervisor.ts";

/** Options for {@linkcode runCluster}. */
export interface ClusterOptions {
  /** Number of tasks. */
  readonly tasks: number;
  /** Number of times that a process is killed. */
  readonly kills: number;
  /** Seed that determines which processes are killed, and when. */
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: ClusterEvent) => void;
}

const REPLICAS = ["replica-1", "replica-2"];
const WORKERS = ["worker-1", "worker-2", "worker-3"];
const REQUESTER = "requester";

/** Maximum time between two responses, in milliseconds. */
const STALL_MS = 120_000;

/** Events that count as progress, all of which occur while a tool call is in progress. */
const PROGRESS: ReadonlySet<string> = new Set(["tool_started", "effect"]);

/**
 * Progress per item of an order: two tool calls, for the price and the reservation, and one effect,
 * the reservation itself.
 */
const PROGRESS_PER_TASK = 3 * ITEMS_PER_ORDER;

/** Starts the cluster, waits until all tasks are done, and stops the cluster. */
export async function runCluster(options: ClusterOptions): Promise<Proof> {
  const { kills, onEvent, seed, tasks } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const aborted = rejectOnAbort(signal);
  const reportDatabase = (state: string): void =>
    onEvent({ type: "process", at: Date.now(), process: "postgres", state });
  const responded = Promise.withResolvers<void>();
  const orders = new Set<unknown>();
  const chaos = new Chaos(kills, tasks * PROGRESS_PER_TASK, seed);
  reportDatabase("started");
  await using database = await startDatabase();
  signal.throwIfAborted();
  reportDatabase("ready");
  using watchdog = startWatchdog((error) => failed.abort(error));
  await using balancer = startBalancer();
  await using supervisor = new Supervisor((event) => {
    onEvent(event);
    updateBalancer(balancer, event);
    if (PROGRESS.has(event.type)) chaos.onProgress((choose) => supervisor.kill(choose));
    if (event.type !== "responded") return;
    watchdog.restart();
    if (orders.add(event.order).size === tasks) responded.resolve();
  }, (error) => failed.abort(error));
  const start = (name: string, program: string, env: Record<string, string>): Promise<void> =>
    supervisor.start({ name, program, env: { DATABASE_URL: database.url, ...env } });
  const [agent, requester] = [await createIdentity(), await createIdentity()];
  onEvent({ type: "agent", at: Date.now(), name: "clerk", did: agent.did });
  onEvent({ type: "agent", at: Date.now(), name: REQUESTER, did: requester.did });

  const replicas = REPLICAS.map((name) => start(name, "mcp_replica.ts", {}));
  await Promise.race([Promise.all(replicas), aborted]);
  const workers = WORKERS.map((name) =>
    start(name, "worker.ts", {
      AGENT_SEED: agent.seed,
      MCP_URL: `${balancer.url}/mcp`,
      REQUESTER: requester.did,
    })
  );
  await Promise.race([Promise.all(workers), aborted]);
  void start(REQUESTER, "requester.ts", {
    AGENT: agent.did,
    REQUESTER_SEED: requester.seed,
    TASK_COUNT: String(tasks),
  });
  await Promise.race([responded.promise, aborted]);
  return await prove(database.url, tasks, signal);
}

/** Starts a timer that reports an error unless it is restarted in time. */
function startWatchdog(onStall: (error: Error) => void) {
  const start = () =>
    setTimeout(() => onStall(new ToolError("No response has arrived for 2 minutes")), STALL_MS);
  let timer = start();
  return {
    restart: () => {
      clearTimeout(timer);
      timer = start();
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** Creates a key that is passed to the workers or the requester in an environment variable. */
async function createIdentity(): Promise<{ readonly did: string; readonly seed: string }> {
  const seed = randomBytes(32);
  const { did } = await createSigner({ seed });
  return { did, seed: seed.toString("base64") };
}

/** Adds replicas that are ready to the load balancer, and removes replicas that have exited. */
function updateBalancer(
  balancer: Balancer,
  { process = "", state, type, url }: ClusterEvent,
): void {
  if (type !== "process") return;
  if (state === "ready" && typeof url === "string") balancer.add(process, url);
  if (state === "ended") balancer.remove(process);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  promise.catch(() => {}); // `Promise.race` reports the rejection.
  return promise;
}
