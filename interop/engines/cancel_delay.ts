/**
 * Measures the time from `tasks/cancel`, sent to one replica of an MCP server, until the task's
 * signal is aborted on another replica. The replicas share a PostgreSQL database.
 *
 *     deno run -A --config interop/deno.json interop/engines/cancel_delay.ts [tasks]
 *
 * @module
 */

import { startPostgres } from "../../tools/testing/postgres.ts";
import { type Cluster, startCluster } from "./mcp_cluster.ts";
import { Client } from "./mcp_cluster_client.ts";
import { POSTGRES_RELEASES } from "./postgres_releases.ts";

/** Lease duration of a running task, in milliseconds, equal to the default of `serverTasks`. */
const LEASE_MS = 15_000;

/**
 * Cancels tasks, one at a time. Returns the delays in milliseconds, in ascending order. Each delay
 * also includes the time until the measuring process reads the line that the replica prints when
 * the signal is aborted.
 */
export async function measureCancelDelays(tasks: number): Promise<readonly number[]> {
  await using database = await startPostgres({ program: POSTGRES_RELEASES[18] });
  await using cluster = await startCluster({
    leaseMs: LEASE_MS,
    key: 7,
    database: database.url,
  });
  const delays: number[] = [];
  for (let task = 0; task < tasks; task++) delays.push(await cancelTask(cluster, task));
  return delays.sort((first, second) => first - second);
}

async function cancelTask(cluster: Cluster, earlier: number): Promise<number> {
  await using client = await Client.connect(cluster.url);
  cluster.pin(0);
  const { taskId, ended } = await client.startTask("task");
  cluster.pin(1);
  const startMs = performance.now();
  await client.tasks.cancel(taskId);
  while (countAborted(cluster) === earlier) await new Promise((resolve) => setTimeout(resolve, 1));
  const delay = performance.now() - startMs;
  await ended;
  return delay;
}

function countAborted(cluster: Cluster): number {
  return cluster.printed(0).filter((line) => line === "aborted").length;
}

if (import.meta.main) {
  const delays = await measureCancelDelays(Number(Deno.args[0] ?? "50"));
  const [p50, p95, max] = [0.5, 0.95, 1].map((share) =>
    delays[Math.ceil(delays.length * share) - 1]?.toFixed(0)
  );
  console.log(
    `cancellation through another replica: p50 ${p50} ms, p95 ${p95} ms, max ${max} ms ` +
      `(${delays.length} tasks)`,
  );
}
