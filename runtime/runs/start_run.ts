/**
 * The start of a durable run.
 *
 * @module
 */

import { toMetadata } from "../shared/run_metadata.ts";
import { assertSize } from "../shared/json_size.ts";
import { assertDate, assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { assertNames } from "@parley/internal/options";
import { assertTurn } from "../loop/conversation.ts";
import { assertMessages } from "../loop/run_options.ts";
import { RUN_START_ALIASES } from "../shared/aliases.ts";
import { AgentError } from "../shared/error.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import type { AgentVersions } from "./agent_versions.ts";
import type { RunEngine } from "./contracts.ts";
import { toRunInput } from "./run_input.ts";

import { assertParty, assertRunId, type RunStart, START_NAMES } from "./run_options.ts";
import type { NewRun } from "./run_record.ts";
import { wake, wakeNew } from "./run_worker.ts";

/** A run to be started, and how it is delivered. */
export interface ReadStart {
  readonly run: NewRun;
  readonly due: Date | undefined;
  readonly tx: unknown;
}

/**
 * Reads a run to be started.
 *
 * @throws {TypeError} If the agent is unknown, or another member is invalid.
 * @throws {RangeError} If the message or the metadata is too large.
 */
export function readStart(start: RunStart, agents: AgentVersions, maxBytes: number): ReadStart {
  assertRecord("run", start);
  assertNames("run", start, START_NAMES, RUN_START_ALIASES);
  const { agent, budget, due, input: turn, messages, party, runId, tx } = start;
  const metadata = start.metadata === undefined ? undefined : toMetadata(start.metadata);
  assertRunId(runId);
  const version = Object.hasOwn(agents, agent) ? agents[agent]?.version : undefined;
  if (version === undefined) rejectArgument("agent", "the name of an agent", agent);
  if (turn === undefined) rejectArgument("input", "a string or an array of parts", turn);
  assertTurn("input", turn);
  if (due !== undefined) assertDate("due", due);
  if (party !== undefined) assertParty(party);
  if (messages !== undefined) assertMessages("messages", messages);
  const input = toRunInput(turn, { budget, messages });
  assertSize("input", input, maxBytes);
  const members = defined({ party, metadata, due: due?.toISOString() });
  return { run: { runId, agent, version, input, ...members }, due, tx };
}

/**
 * Stores a run and requests its delivery. Returns `false` if an equal run already exists.
 *
 * @throws {AgentError} With code `run_conflict` if there is a different run with the same id, and
 * with code `run_limit` if the party has too many runs.
 */
export async function startRun(engine: RunEngine, { due, run, tx }: ReadStart): Promise<boolean> {
  const { runId } = run;
  const { journal } = engine;
  const isNew = await journal.create(run, tx);
  const existing = isNew ? undefined : await journal.get(runId);
  if (existing === undefined) await wakeNew(engine, run, { due, tx });
  else {
    if (identityOf(existing) !== identityOf(run)) {
      const reason =
        "a run with the same id and a different agent, message, budget or metadata exists";
      throw AgentError.run("run_conflict", "start", { runId, reason });
    }
    // An earlier call may have stored the run and then failed to request its delivery.
    if (existing.status === "queued") await wake(engine, existing);
  }
  return isNew;
}

/** Returns text that is equal for runs that do the same for the same agent. */
function identityOf({ agent, input, metadata = {} }: NewRun): string {
  return formatSorted([agent, input, metadata]);
}
