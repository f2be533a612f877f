/**
 * Options for sessions that several processes serve.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertMethods,
  assertNonNegative,
  assertObject,
  assertOptionalBoolean,
  assertOptionalFunction,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { int32From, integerFrom, oneOf } from "@parley/internal/option-checks";
import {
  type DefaultRule,
  type OptionCheck,
  type OptionsReader,
  optionsReader,
  required,
  type RequiredRule,
  withDefault,
} from "@parley/internal/options";
import {
  RUN_LOG_RULES,
  RUN_READ_RULES,
  type RunLogOptions,
  type RunReadOptions,
} from "../log/log_options.ts";
import { assertDecisions } from "../loop/decisions.ts";
import { assertSignals } from "../loop/tool_waits.ts";
import type { ToolLoopAgent } from "../agent/agent.ts";
import type { ApprovalDecision } from "../loop/approval.ts";
import type { Schema } from "../shared/typed_schema.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { RunContext } from "../shared/run_context.ts";
import { toMetadata } from "../shared/run_metadata.ts";
import { assertOptionalText } from "./session_filters.ts";
import { isParty, PARTY_REQUIREMENT } from "./run_party.ts";
import type { SessionStorage } from "./storage.ts";

/** Options for {@linkcode openSessions}. */
export interface SessionsOptions<S extends Schema = Schema> extends RunLogOptions {
  /**
   * Creates the agent for one run. Called once per run, because an agent processes one message at a
   * time, and again in a process that continues or gives up the run. If the function rejects when a
   * run with recorded steps continues, the run is taken over again after `leaseMs`. The agent is
   * initialized, and terminated after the run.
   *
   * @param sessionId Id of the session, for example to choose the tools of a user.
   * @param run Id and metadata of the run. They are stored with the run, so a process that takes
   * over the run creates the same agent.
   */
  readonly agent: (
    sessionId: string,
    run: RunContext,
  ) => ToolLoopAgent<S> | Promise<ToolLoopAgent<S>>;
  /** Storage. {@linkcode Sessions.close} disposes of it. */
  readonly storage: SessionStorage;
  /**
   * Time after which the run of a process that no longer responds counts as interrupted, in
   * milliseconds; an integer of at least 100. The lease is renewed three times in this time, so a
   * shorter lease would expire while the process collects garbage or the storage is busy.
   *
   * @default {15_000}
   */
  readonly leaseMs?: number;
  /**
   * Maximum number of readers of one session in this process; a positive integer. Defaults to a
   * tenth of `maxReaders`, and at least 10.
   */
  readonly maxSessionReaders?: number;
  /**
   * Maximum number of runs that this process executes at the same time; a positive integer. Further
   * messages are rejected with code `capacity_exceeded`.
   *
   * @default {1000}
   */
  readonly maxRuns?: number;
  /**
   * Maximum number of runs that this process executes at the same time for one
   * {@linkcode SendOptions.party}; a positive integer. Further messages of the party are rejected
   * with code `capacity_exceeded`. Defaults to a tenth of `maxRuns`, and at least 1.
   */
  readonly maxPartyRuns?: number;
  /**
   * Time that {@linkcode Sessions.close} lets runs finish, in milliseconds; a non-negative integer.
   * Runs that have not finished continue in another process.
   *
   * @default {10_000}
   */
  readonly drainMs?: number;
  /**
   * Maximum time for creating, and for terminating, an agent, in milliseconds; a positive integer.
   *
   * @default {60_000}
   */
  readonly agentTimeoutMs?: number;
  /**
   * Maximum number of times that a run is taken over because its process has stopped responding; a
   * non-negative integer. The next takeover ends the run as failed, because the run itself may
   * stop the processes. A run that was released by `close`, or that waited, is not counted.
   *
   * @default {10}
   */
  readonly maxTakeovers?: number;
  /**
   * Maximum number of earlier runs of a session whose state {@linkcode Sessions.run} returns; a
   * non-negative integer. Their messages are part of the session in any case.
   *
   * @default {100}
   */
  readonly keepRuns?: number;
  /**
   * Time for which the states of earlier runs are kept, in milliseconds. Older states are deleted
   * when another run has ended.
   *
   * @default {604_800_000}
   */
  readonly keepRunsMs?: number;
  /**
   * Whether the text of an unfinished response becomes part of the session when its run is stopped
   * or fails: `"store"` or `"discard"`.
   *
   * @default {"store"}
   */
  readonly partialText?: "store" | "discard";
  /**
   * Maximum number of records in a session; a positive integer. A session with this many records
   * rejects further messages.
   *
   * @default {10_000}
   */
  readonly maxRecords?: number;
  /**
   * Maximum total length of a session's records as JSON, in UTF-16 code units; a positive integer.
   *
   * @default {67_108_864}
   */
  readonly maxChars?: number;
  /**
   * Maximum number of sessions that this process keeps after it has read them, so that it reads
   * only the new records of a turn; a non-negative integer. The least recently used session is
   * removed first.
   *
   * @default {100}
   */
  readonly maxCachedSessions?: number;
  /**
   * Maximum total length of the records of these sessions as JSON, in UTF-16 code units; a
   * non-negative integer. In memory, they take several times this size.
   *
   * @default {16_777_216}
   */
  readonly maxCachedChars?: number;
  /**
   * Called with errors that no caller receives: a storage that fails during a run, an event that
   * cannot be stored, an agent that cannot be terminated. If omitted, each distinct error is
   * printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

/** Options for {@linkcode Sessions.send}. */
export interface SendOptions {
  /**
   * Id of the message, chosen by the client. The same message with the id and the metadata of the
   * newest run attaches to that run, so a repeated request is harmless.
   */
  readonly turnId?: string;
  /**
   * Data about the run that starts, which is stored with the run and passed to `agent`: a JSON
   * object of at most 65,536 bytes in UTF-8. Must be omitted if a run continues.
   */
  readonly metadata?: JsonObject;
  /** Decisions on tool calls, keyed by the keys of the pending approvals. */
  readonly decisions?: Readonly<Record<string, ApprovalDecision>>;
  /**
   * Values that tools of the run wait for with `ToolContext.wait`, by their keys. They are recorded
   * with the steps of the run. Of several values with the same key, the first is kept.
   */
  readonly signals?: Readonly<Record<string, JsonValue>>;
  /**
   * Id of the run that continues. If the newest run of the session is another one, the call rejects
   * with code `session_not_waiting`. If omitted, the newest run continues. Must be omitted for a
   * message.
   */
  readonly runId?: string;
  /**
   * Epoch of the newest run that the sender has seen, or 0 if it has seen none. If the newest run
   * has another epoch, because a run has started or continued in the meantime, the call rejects
   * with code `session_busy`. If omitted, the epoch is not compared.
   */
  readonly seenEpoch?: number;
  /**
   * Whether to replace the newest response: the newest record is removed, and a new run starts for
   * its message. If a message is given and the newest record does not respond to it, a new run
   * starts.
   *
   * @default {false}
   */
  readonly regenerate?: boolean;
  /**
   * Party on whose behalf the run is executed, such as the user who sent the message: 1 to 256
   * characters. `maxPartyRuns` limits the runs of each party, which can have many sessions. A run
   * that another process takes over belongs to no party. If omitted, only `maxRuns` applies.
   */
  readonly party?: string;
  /**
   * Whether the run starts only if there is a place for a reader, which is kept for the first loop
   * over the run, or for 30 seconds. Otherwise, the run starts without a reader.
   *
   * @default {false}
   */
  readonly reserveReader?: boolean;
}

/** Options for {@linkcode Sessions.attach}. */
export interface AttachOptions extends RunReadOptions {
  /**
   * Whether an interrupted run is taken over, or not attached to.
   *
   * @default {"take_over"}
   */
  readonly onInterrupted?: "take_over" | "report";
}

/** Options for {@linkcode Sessions.stop}. */
export interface StopOptions {
  /**
   * Maximum time to wait for the process that executes the run, in milliseconds; a non-negative
   * integer.
   *
   * @default {10_000}
   */
  readonly waitMs?: number;
  /**
   * Id of the run to stop. If omitted, the newest run of the session is stopped, whichever it is.
   */
  readonly runId?: string;
}

/** Shortest lease. A third of it is longer than most delays of a process and of a database. */
const MIN_LEASE_MS = 100;

function assertStorage(name: string, value: unknown): void {
  const requirement = "a SessionStorage";
  assertObject(name, value);
  if (typeof Reflect.get(value, Symbol.asyncDispose) !== "function") {
    rejectArgument(name, `${requirement} with the method [Symbol.asyncDispose]`, value);
  }
  const { log, records, steps }: Partial<SessionStorage> = Object(value);
  assertMethods(`${name}.records`, requirement, records, ["load", "append", "count", "removeLast"]);
  const methods = ["claim", "head", "append", "renew", "finish", "requestStop", "read", "changed"];
  assertMethods(`${name}.log`, requirement, log, [
    ...methods,
    "list",
    "find",
    "history",
    "delete",
    "purge",
  ]);
  assertMethods(name, `${requirement} with the method delete()`, value, ["delete"]);
  if (steps !== undefined) {
    assertMethods(`${name}.steps`, requirement, steps, ["load", "put", "delete"]);
  }
}

/** Names of the options for sessions that have a default. */
type SessionsDefault = Exclude<
  keyof SessionsOptions,
  "agent" | "storage" | "maxSessionReaders" | "maxPartyRuns" | "onError"
>;

/** Rules for the options of sessions, except for the agent and for the share of a party. */
export const SESSIONS_RULES:
  & { readonly [Name in SessionsDefault]: DefaultRule<Required<SessionsOptions>[Name]> }
  & Readonly<Record<"maxSessionReaders" | "onError", OptionCheck>>
  & { readonly storage: RequiredRule } = {
    ...RUN_LOG_RULES,
    storage: required(assertStorage),
    leaseMs: withDefault(15_000, int32From(MIN_LEASE_MS)),
    maxSessionReaders: assertCount,
    maxRuns: withDefault(1000, assertCount),
    drainMs: withDefault(10_000, int32From(0)),
    agentTimeoutMs: withDefault(60_000, int32From(1)),
    partialText: withDefault("store", oneOf("store", "discard")),
    maxRecords: withDefault(10_000, assertCount),
    maxChars: withDefault(67_108_864, assertCount),
    maxTakeovers: withDefault(10, integerFrom(0)),
    keepRuns: withDefault(100, integerFrom(0)),
    keepRunsMs: withDefault(604_800_000, assertNonNegative),
    maxCachedSessions: withDefault(100, integerFrom(0)),
    maxCachedChars: withDefault(16_777_216, integerFrom(0)),
    onError: assertOptionalFunction,
  };

/** Reads the options for {@linkcode openSessions}. */
export const readSessionsOptions: OptionsReader<SessionsOptions, SessionsDefault> = optionsReader<
  SessionsOptions
>("options", { store: "storage", agents: "agent" })({
  ...SESSIONS_RULES,
  agent: required(assertFunction),
  maxPartyRuns: assertCount,
});

/** Reads the options for a message. */
export const readSendOptions: OptionsReader<SendOptions, "regenerate" | "reserveReader"> =
  optionsReader<SendOptions>("options")({
    turnId: assertOptionalText,
    metadata: (_, value) => value === undefined || toMetadata(value),
    decisions: (name, value) => value === undefined || assertDecisions(name, value),
    signals: (name, value) => value === undefined || assertSignals(name, value),
    runId: assertOptionalText,
    seenEpoch: integerFrom(0),
    regenerate: withDefault(false, assertOptionalBoolean),
    party: (name, value) => {
      if (value === undefined || isParty(value)) return;
      rejectArgument(name, PARTY_REQUIREMENT, value);
    },
    reserveReader: withDefault(false, assertOptionalBoolean),
  });

/** Reads the options of a reader. */
export const readAttachOptions: OptionsReader<AttachOptions, "onInterrupted" | "until"> =
  optionsReader<AttachOptions>("options")({
    ...RUN_READ_RULES,
    onInterrupted: withDefault("take_over", oneOf("take_over", "report")),
  });

/** Reads the options for stopping a run. */
export const readStopOptions: OptionsReader<StopOptions, "waitMs"> = optionsReader<StopOptions>(
  "options",
)({ waitMs: withDefault(10_000, int32From(0)), runId: assertOptionalText });

/** Reads the options for recovering runs. */
export const readRecoverOptions: OptionsReader<{ readonly limit?: number }, "limit"> =
  optionsReader<{ readonly limit?: number }>("options")({ limit: withDefault(100, assertCount) });
