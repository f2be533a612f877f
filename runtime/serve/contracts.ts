/**
 * Agents that several protocols serve to authenticated callers.
 *
 * @module
 */

import type { LiveEvent } from "../log/live_run.ts";
import type { RunReadOptions } from "../log/log_options.ts";
import type { ApprovalDecision } from "../loop/approval.ts";
import type { RunResult } from "../loop/run_result.ts";
import type { RunStatus, RunWait } from "../runs/run_record.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { ModelMessage, TextMessage, UserTurn } from "../shared/model.ts";
import type { RunFailure } from "../shared/run_failure.ts";

/**
 * An authenticated caller. A `Principal` or a `VerifiedToken` from `@parley/mcp/auth` can be used
 * as a `Principal`.
 */
export interface Principal {
  /**
   * Identifier of the caller, such as the `sub` claim of an access token, or a DID: 1 to 199
   * characters, of which `/` and `%` count as three each.
   */
  readonly subject: string;
  /** Granted OAuth scopes. */
  readonly scopes?: readonly string[];
  /**
   * Party whose share of the limits the caller uses, such as the domain of several DIDs: a string
   * with the limits of `subject`. If omitted, the caller has a separate share.
   */
  readonly party?: string;
}

/**
 * The caller of an operation. `undefined` if the endpoint accepts anonymous callers: all anonymous
 * callers are one caller.
 */
export type Caller = Principal | undefined;

/** A run to start. */
export interface ServedRunStart {
  /** Message from the user: text or parts. */
  readonly turn: UserTurn;
  /**
   * Id of the session, unique among the sessions of the caller: 1 to 512 characters. If omitted,
   * the run starts a session with a new id.
   */
  readonly sessionId?: string;
  /**
   * Beginning of the conversation of a new session, for protocols in which the caller stores the
   * conversation. Must be omitted with `sessionId`.
   */
  readonly messages?: readonly TextMessage[];
  /**
   * Id of the request: 1 to 256 characters. Unique among the requests of the session, or among the
   * requests of the caller without `sessionId`. A request that is sent again with the same message
   * returns the same run, as long as its state is kept. With another message, it rejects with code
   * `run_conflict`.
   */
  readonly requestId?: string;
  /**
   * Data of the protocol, which is stored with the run: a JSON object. Together with the caller and
   * the id of the session, it may have at most 65,536 bytes in UTF-8.
   */
  readonly metadata?: JsonObject;
  /**
   * Effect of a run of the session that is in progress: the start is rejected with code
   * `session_busy`, or waits for the end of the run. A run that waits for input is given up.
   *
   * @default {"reject"}
   */
  readonly ifBusy?: "reject" | "queue";
  /**
   * Whether the run and its session are never stored, but kept in the memory of this process until
   * a moment after the end of the run. They are not listed. Cancel a run that waits for input that
   * nobody sends. Must be omitted with `sessionId`. An agent of `serveRuns` stores the run as any
   * other run.
   *
   * @default {false}
   */
  readonly isTemporary?: boolean;
}

/** State of a run. */
export interface ServedRunState {
  /** Status of the run. */
  readonly status: RunStatus;
  /** Decisions and signals that the run waits for. Empty unless the status is `"waiting"`. */
  readonly waitingFor: readonly RunWait[];
  /** Result of a run with the status `"done"`. */
  readonly result?: RunResult;
  /** Error of a run with the status `"failed"`. */
  readonly error?: RunFailure;
  /** Time of the last change of the status, in milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/** A run of a caller, with its state at the time at which it was read. */
export interface ServedRun {
  /** Id of the run. */
  readonly id: string;
  /** Id of the session, as the caller knows it. */
  readonly sessionId: string;
  /** Time at which the run was started, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Data of the protocol that the run was started with. */
  readonly metadata: JsonObject;
  /** State of the run when this object was created. */
  readonly state: ServedRunState;
  /**
   * Reads the events and the changes of the state, by default from the first one. Each reader has
   * its own position. Leaving the loop does not affect the run. Yields nothing if the events of the
   * run are not kept anymore.
   */
  events(options?: RunReadOptions): AsyncIterable<LiveEvent>;
  /**
   * Resolves with the state when the run has ended or, with `until: "waiting"`, waits for a
   * decision or a signal.
   */
  settled(
    options?: { readonly until?: "ended" | "waiting"; readonly signal?: AbortSignal },
  ): Promise<ServedRunState>;
  /**
   * Sends a decision, or the value of a signal. The run continues, and waits again if it needs
   * further input. If the run continues because of another input, the call waits until the run
   * waits again. Resolves to `false` if the run does not wait for the key.
   *
   * @throws {TypeError} If the value is not a decision that approves or denies, or not JSON.
   * @throws {AgentError} With code `capacity_exceeded` if too many runs are in progress.
   */
  input(key: string, value: ApprovalDecision | JsonValue): Promise<boolean>;
  /** Cancels the run. Resolves to `false` if it has already ended. */
  cancel(): Promise<boolean>;
}

/** Runs to list. */
export interface ServedRunFilter {
  /** Only runs of this session. */
  readonly sessionId?: string;
  /** Only runs with this status. */
  readonly status?: RunStatus;
  /** Only runs that have changed at this time or later, in milliseconds since the Unix epoch. */
  readonly changedAfter?: number;
  /** `next` of the previous page. */
  readonly after?: string;
  /**
   * Maximum number of runs.
   *
   * @default {50}
   */
  readonly limit?: number;
  /**
   * Whether to count the runs of all pages, which takes longer.
   *
   * @default {false}
   */
  readonly withTotal?: boolean;
}

/** A page of runs. */
export interface ServedRunPage {
  /** The runs, the most recently changed first. */
  readonly runs: readonly ServedRun[];
  /** Position of the next page. Absent on the last page. */
  readonly next?: string;
  /** Number of runs of all pages. Present if it was requested. */
  readonly total?: number;
}

/** An agent whose runs remote callers can start and follow. Every operation has a caller. */
export interface ServedAgent {
  /**
   * Starts a run, or returns the run of an earlier start with the same `requestId`.
   *
   * @throws {AgentError} With code `session_busy` if a run of the session is in progress; with code
   * `run_conflict` if `requestId` was used with another message; and with code `capacity_exceeded`
   * or `run_limit` if a limit is reached.
   * @throws {TypeError} If the caller is not a principal, or a member has the wrong type.
   * @throws {RangeError} If the metadata is too large.
   */
  start(caller: Caller, start: ServedRunStart): Promise<ServedRun>;
  /**
   * Returns a run of the caller. `undefined` if the run does not exist or belongs to another
   * caller.
   */
  get(caller: Caller, runId: string): Promise<ServedRun | undefined>;
  /** Lists the runs of the caller. */
  list(caller: Caller, filter?: ServedRunFilter): Promise<ServedRunPage>;
  /** Returns the stored conversation of a session of the caller. */
  messages(caller: Caller, sessionId: string): Promise<readonly ModelMessage[]>;
}

/** Context that an HTTP server passes to an endpoint. */
export interface ServedContext {
  /** The authenticated caller. */
  readonly principal?: Principal;
  /**
   * Whether the caller could not be authenticated. The endpoint then responds with status 401, even
   * if it accepts anonymous callers.
   *
   * @default {false}
   */
  readonly isDenied?: boolean;
}

/**
 * An HTTP endpoint that serves an agent. `resourceServer` from `@parley/mcp/auth` protects it with
 * OAuth, and `withBearer` with other tokens.
 */
export interface ServedHandler {
  (request: Request, context?: ServedContext): Promise<Response>;
}
