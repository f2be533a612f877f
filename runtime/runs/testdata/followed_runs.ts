/**
 * Runs whose events are stored, for tests of their readers.
 *
 * @module
 */

import { assert } from "@std/assert";
import type { FakeTime } from "@std/testing/time";
import { type AgentConfig, ToolLoopAgent } from "../../agent/agent.ts";
import type { LiveEvent, LiveRun } from "../../log/live_run.ts";
import {
  memoryRuns,
  openRuns,
  type OpenRunsOptions,
  type RunEngine,
  type Runs,
} from "../../runs.ts";
import { scriptedModel } from "../../testing.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentVersion } from "../agent_versions.ts";

export const START: { readonly runId: string; readonly agent: string; readonly input: string } = {
  runId: "r1",
  agent: "clerk",
  input: "Go",
};

const PAY: Tool = { name: "pay", inputSchema: { type: "object" }, execute: () => "ok" };

export function clerk(options: Omit<AgentConfig, "name">): Record<string, AgentVersion> {
  return { clerk: { version: "1", make: () => new ToolLoopAgent({ name: "clerk", ...options }) } };
}

/** An agent that asks for an approval, and then responds. */
export function payer(): Record<string, AgentVersion> {
  const model = scriptedModel([{ calls: [{ toolName: "pay" }] }, { text: "Paid" }]);
  return clerk({ model, tools: [PAY], approvalHandler: () => ({ decision: "defer" }) });
}

/** Runs, the messages of the reported errors, and a function that starts a worker. */
export interface OpenedRuns extends AsyncDisposable {
  readonly runs: Runs;
  readonly reports: readonly string[];
  work(): void;
}

/** Opens runs, and collects the messages of the reported errors. */
export function open(
  agents: Record<string, AgentVersion>,
  engine: RunEngine = memoryRuns({ retryDelayMs: 1 }),
  options: OpenRunsOptions = {},
): OpenedRuns {
  const reports: string[] = [];
  const onError = (error: unknown): void => {
    reports.push(error instanceof Error ? error.message : String(error));
  };
  const runs = openRuns(engine, agents, { storeEvents: true, flushMs: 0, onError, ...options });
  const working: Promise<void>[] = [];
  return {
    runs,
    reports,
    work: () => void working.push(runs.work()),
    async [Symbol.asyncDispose]() {
      await runs.close();
      await Promise.all(working);
    },
  };
}

export async function attach(runs: Runs, ...args: Parameters<Runs["attach"]>): Promise<LiveRun> {
  const run = await runs.attach(...args);
  assert(run);
  return run;
}

export async function readAll(run: LiveRun): Promise<readonly LiveEvent[]> {
  return await Array.fromAsync(run);
}

export function typesOf(events: readonly LiveEvent[]): readonly string[] {
  return events.map(({ event }) => event.type === "run_state" ? event.state : event.type);
}

/** Lets fake time pass, and lets promises settle in the meantime. */
export async function tick(time: FakeTime, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) await time.tickAsync(100);
}
