/**
 * Processors on which the measured processes run.
 *
 * Two processes that wait for each other, such as a server and its client, take turns on one
 * processor or wake each other on two. The system decides this anew for each pair of processes, and
 * the cost of a call differs by a factor of two. Here, the load generator and the measured
 * processes run on different processors, as they do on different machines.
 *
 * @module
 */

import { spawnSync } from "node:child_process";
import { cpus } from "node:os";

/** Processors of the processes. */
export const Processor = { Load: 0, Measured: 1 } as const;

/** Number of a processor. */
export type Processor = (typeof Processor)[keyof typeof Processor];

/**
 * Returns `true` if processes can be bound to processors: on Linux, with two processors or more.
 */
function canBind(): boolean {
  return cpus().length > 1 && spawnSync("taskset", ["--version"]).status === 0;
}

/** Returns the command that runs a program on one processor. */
export function onProcessor(
  processor: Processor,
  command: string,
  args: readonly string[],
): [string, string[]] {
  return canBind()
    ? ["taskset", ["--cpu-list", String(processor), command, ...args]]
    : [command, [...args]];
}

/** Moves all threads of a running process to one processor. */
export function moveToProcessor(processor: Processor, pid: number): void {
  if (!canBind()) return;
  const args = ["--all-tasks", "--cpu-list", "--pid", String(processor), String(pid)];
  const { status, stderr } = spawnSync("taskset", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot move process ${pid}: ${stderr}`);
}
