/**
 * Versions of agents that execute durable runs.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import { lineageOf } from "../agent/lineage.ts";
import { digestOfJson } from "../loop/decisions.ts";
import { assertMethods, assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { AgentError } from "../shared/error.ts";
import { asRecord } from "@parley/internal/json";
import { assertNames, namesOf } from "@parley/internal/options";
import type { RunContext } from "../shared/run_context.ts";
import { toStepValue } from "../shared/step_value.ts";
import type { AgentAddress } from "./contracts.ts";
import type { StepRecorder } from "./step_recorder.ts";

/** A version of an agent. */
export interface AgentVersion {
  /**
   * Version of the agent; a non-empty string. Change the version when the prompt, the tools or the
   * model change. A run is executed by the version that was current when the run was started.
   */
  readonly version: string;
  /**
   * Older versions whose runs this version continues. A continued run has the steps recorded by the
   * older version, so the new version must request the same steps up to the last recorded step. If
   * omitted, this version does not continue older runs.
   */
  readonly accepts?: readonly string[];
  /**
   * Creates the agent. Called for each execution of a run; the agent is terminated when the
   * execution ends. For the same run, `make` must create an agent with the same prompt, tools and
   * model.
   *
   * @param run Id, party and metadata of the run.
   */
  make(run: RunContext): ToolLoopAgent | Promise<ToolLoopAgent>;
}

/** A program's agents, keyed by name. */
export type AgentVersions = Readonly<Record<string, AgentVersion>>;

/** Names of the members of a version. A misspelled `accepts` would otherwise strand older runs. */
const VERSION_NAMES = namesOf<AgentVersion>({ version: true, accepts: true, make: true });

/**
 * Validates a program's agents.
 *
 * @throws {TypeError} If an agent has no version or no `make` function.
 */
export function assertAgents(agents: AgentVersions): void {
  assertRecord("agents", agents);
  for (const [name, agent] of Object.entries(agents)) {
    assertMethods(`agents.${name}`, "an AgentVersion", agent, ["make"]);
    assertNames(`agents.${name}`, agent, VERSION_NAMES);
    const { accepts = [], version } = agent;
    if (typeof version !== "string" || version === "") {
      rejectArgument(`agents.${name}.version`, "a non-empty string", version);
    }
    if (!Array.isArray(accepts) || !accepts.every((one) => typeof one === "string")) {
      rejectArgument(`agents.${name}.accepts`, "an array of versions", accepts);
    }
  }
}

/** Returns true if the agents accept runs that were started with this agent and version. */
export function isAccepted(agents: AgentVersions, { agent, version }: AgentAddress): boolean {
  const known = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  return known !== undefined &&
    (known.version === version || known.accepts?.includes(version) === true);
}

/** Lists the names and versions of the agents, including the accepted older versions. */
export function addressesOf(agents: AgentVersions): readonly AgentAddress[] {
  return Object.entries(agents).flatMap(([agent, { accepts = [], version }]) =>
    [...new Set([version, ...accepts])].map((one) => ({ agent, version: one }))
  );
}

/**
 * Records the digest of the agent's prompt, tools and model in the first step of a run, or compares
 * it with the recorded digest. Each version of an agent that executes the run records its own
 * digest.
 *
 * @throws {AgentError} With code `run_agent_changed` if the digest differs from the recorded
 * digest.
 */
export async function checkAgent(
  runId: string,
  agent: ToolLoopAgent,
  version: string,
  recorder: StepRecorder,
): Promise<void> {
  const head = { version, digest: await digestOfAgent(agent) };
  const recorded = asRecord(
    await recorder.run(`${runId}/agent/${version}`, "run", () => Promise.resolve(head)),
  );
  if (recorded.digest === head.digest) return;
  throw AgentError.run("run_agent_changed", "continue", {
    runId,
    reason:
      `the prompt, the tools or the model of agent "${agent.name}" have changed since the run ` +
      `started with version "${version}"; give the changed agent a new version`,
  });
}

/** Returns the digest of an agent's system prompt, tools and model. */
async function digestOfAgent(agent: ToolLoopAgent): Promise<string> {
  const { model: { modelId, provider }, systemPrompt } = lineageOf(agent).config;
  const tools = agent.registry.definitions()
    .toSorted((one, other) => one.name < other.name ? -1 : 1);
  return await digestOfJson(
    JSON.parse(JSON.stringify(toStepValue({ modelId, provider, systemPrompt, tools }))),
  );
}
