/**
 * One prompt: its runs, their updates, and the permissions that they need.
 *
 * @see {@link https://agentclientprotocol.com/protocol/v1/prompt-turn Prompt turn}
 * @module
 */

import { callWithin } from "@parley/internal/call-within";
import { asRecord } from "@parley/internal/json";
import type { ToolLoopAgent } from "../agent/agent.ts";
import type { LiveRun } from "../log/live_run.ts";
import type { ApprovalDecision } from "../loop/approval.ts";
import type { LoopEvent } from "../loop/events.ts";
import type { Sessions } from "../session/sessions.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import type { JsonObject } from "../shared/json.ts";
import type { UserTurn } from "../shared/model.ts";
import type { AgentStopReason, PendingApproval } from "../shared/output.ts";
import { createAbortReason } from "../shared/platform.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { AcpSession, AcpToolKind } from "./acp_session.ts";
import type { Connection } from "./connection.ts";
import { AcpErrorCode, RpcError } from "./rpc_error.ts";
import { kindOfEditorTool, toTextBlock, toToolContent } from "./session_update.ts";
import { type LocatedCall, UpdateEncoder } from "./update_encoder.ts";

/**
 * Reason why a prompt ended.
 *
 * @see {@link https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons Stop reasons}
 */
export type AcpStopReason =
  | "end_turn"
  | "max_tokens"
  | "max_turn_requests"
  | "refusal"
  | "cancelled";

const STOP_REASONS: Readonly<Record<AgentStopReason, AcpStopReason>> = {
  model_stop: "end_turn",
  tool_stop: "end_turn",
  custom_condition: "end_turn",
  output_invalid: "end_turn",
  approval_pending: "end_turn",
  // The editor cannot send signals: the next prompt gives up the run.
  waiting: "end_turn",
  max_iterations: "max_turn_requests",
  repeated_tool_calls: "max_turn_requests",
  max_total_tokens: "max_tokens",
  budget_exceeded: "max_tokens",
  output_truncated: "max_tokens",
  content_filtered: "refusal",
  aborted: "cancelled",
  terminated: "cancelled",
};

/** Options that the user can choose, of which only one allows the call. */
const ALLOW = "allow";
const PERMISSION_OPTIONS: readonly JsonObject[] = [
  { optionId: ALLOW, name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

const REJECTED: ApprovalDecision = { decision: "deny", reason: "The user rejected the call" };

const OUTCOME_UNKNOWN = "The call was interrupted. It is unknown whether it had an effect.";

/** Maximum time to wait for the start of a call, in milliseconds. */
const START_MS = 1000;

/** Settings of a prompt. */
export interface PromptSettings {
  readonly sessions: Sessions;
  /** Id of the session in the storage. */
  readonly key: string;
  /** The session, with the mode at the start of the prompt. */
  readonly session: AcpSession;
  readonly connection: Connection;
  readonly toolKind: ((toolName: string) => AcpToolKind) | undefined;
  /** Returns the text for the error of a failed run. */
  readonly mask: (error: unknown) => string;
  readonly report: (error: unknown) => void;
}

/** The end of a run, if the run does not wait. */
type RunEnd = LoopEvent & { readonly type: "run_finished" | "run_failed" };

/** A prompt in progress. */
export class PromptRun {
  /** The session, with the mode at the start of the prompt. */
  readonly session: AcpSession;
  readonly #settings: PromptSettings;
  readonly #encoder = new UpdateEncoder((toolName) => this.#kindOf(toolName));
  readonly #cancelled = new AbortController();
  /** The start of each call, which is sent before the user is asked for the call. */
  readonly #starts = new Map<string, PromiseWithResolvers<void>>();
  /** Calls that the user has allowed, each with its input. */
  readonly #allowed = new Set<string>();
  readonly #done = Promise.withResolvers<void>();
  #agent: ToolLoopAgent | undefined;

  constructor(settings: PromptSettings) {
    this.#settings = settings;
    this.session = settings.session;
  }

  /** Resolves when the prompt has ended. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Sets the agent of the current run, whose tools have annotations. */
  setAgent(agent: ToolLoopAgent): void {
    this.#agent = agent;
  }

  /** Cancels the prompt. */
  cancel(): void {
    this.#cancelled.abort(createAbortReason("The prompt was cancelled", "AbortError"));
  }

  /**
   * Runs the agent until it has responded. Never leaves a run in progress.
   *
   * @throws {RpcError} With the masked error of a failed run.
   */
  async execute(turn: UserTurn): Promise<AcpStopReason> {
    const { signal } = this.#cancelled;
    const stop = (): void => void this.#stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await this.#run(turn);
    } catch (error) {
      await this.#stop();
      await this.#endCalls();
      if (!signal.aborted) throw error;
      const { connection, report } = this.#settings;
      // The connection reports its end.
      const isExpected = error === signal.reason || error === connection.ended.reason;
      if (!isExpected) report(error);
      return "cancelled";
    } finally {
      signal.removeEventListener("abort", stop);
      this.#done.resolve();
    }
  }

  /** Asks the user for the permission for a call that is being executed. */
  async ask(input: unknown, { path, signal, toolCallId, toolName }: ToolContext): Promise<boolean> {
    const call: LocatedCall = { path, toolCallId, toolName, input };
    if (this.#allowed.has(grantOf(call))) return true;
    const both = AbortSignal.any([signal, this.#cancelled.signal]);
    await this.#untilStarted(call, both);
    const answer = await this.#request(call, [], both);
    if (answer === "cancelled") this.cancel();
    if (answer === "allowed") await this.#send(this.#encoder.announce(call, "in_progress"));
    return answer === "allowed";
  }

  async #run(turn: UserTurn): Promise<AcpStopReason> {
    const { key, sessions } = this.#settings;
    const { signal } = this.#cancelled;
    let run = await sessions.send(key, turn);
    for (;;) {
      // The prompt may have been cancelled before the run had started.
      if (signal.aborted) await this.#stop();
      const end = await this.#follow(run);
      signal.throwIfAborted();
      if (end !== undefined) return this.#toStopReason(end);
      const { current } = await sessions.state(key);
      const approvals = current?.pending?.approvals ?? [];
      if (approvals.length === 0) return "end_turn";
      const decisions = await this.#decide(approvals);
      run = await sessions.send(key, undefined, { decisions });
    }
  }

  /**
   * Sends the updates of a run. Returns the end of the run, or `undefined` if the run waits or was
   * given up.
   */
  async #follow(run: LiveRun): Promise<RunEnd | undefined> {
    let end: RunEnd | undefined;
    for await (const { event } of run) {
      if (event.type === "log_reset") {
        end = undefined;
      } else if (event.type === "run_state") {
        if (event.state === "waiting") end = undefined;
      } else {
        if (isEnd(event)) end = event;
        await this.#send(this.#encoder.encode(event));
        if (event.type === "tool_started") {
          this.#startOf({ ...event.toolCall, path: event.path }).resolve();
        }
      }
    }
    return end;
  }

  #toStopReason(end: RunEnd): AcpStopReason {
    if (end.type === "run_finished") return STOP_REASONS[end.stopReason];
    // The sessions have reported the error.
    throw new RpcError(AcpErrorCode.InternalError, this.#settings.mask(end.error));
  }

  /**
   * Asks the user for every call that waits. Every response that does not allow a call denies it.
   *
   * @throws The reason of the prompt's signal if the user cancels.
   */
  async #decide(
    approvals: readonly PendingApproval[],
  ): Promise<Readonly<Record<string, ApprovalDecision>>> {
    const { signal } = this.#cancelled;
    const decisions: [string, ApprovalDecision][] = [];
    for (const { key, path, reason, toolCall } of approvals) {
      const { input, toolCallId, toolName } = toolCall;
      const call: LocatedCall = { path, toolCallId, toolName, input };
      const notes = reason === "outcome_unknown" ? [OUTCOME_UNKNOWN] : [];
      const answer = await this.#request(call, notes, signal);
      if (answer === "cancelled") this.cancel();
      signal.throwIfAborted();
      if (answer === "allowed") this.#allowed.add(grantOf(call));
      decisions.push([key, answer === "allowed" ? { decision: "approve" } : REJECTED]);
    }
    return Object.fromEntries(decisions);
  }

  async #request(
    call: LocatedCall,
    notes: readonly string[],
    signal: AbortSignal,
  ): Promise<"allowed" | "denied" | "cancelled"> {
    await this.#send(this.#encoder.announce(call, "pending"));
    const endAsking = this.#encoder.startAsking(call);
    const content = notes.map((note) => toToolContent(toTextBlock(note)));
    try {
      const result = await this.#settings.connection.request("session/request_permission", {
        sessionId: this.session.id,
        toolCall: {
          ...this.#encoder.describe(call),
          status: "pending",
          ...content.length > 0 && { content },
        },
        options: PERMISSION_OPTIONS,
      }, { signal });
      const { optionId, outcome } = asRecord(asRecord(result).outcome);
      if (outcome === "cancelled") return "cancelled";
      return outcome === "selected" && optionId === ALLOW ? "allowed" : "denied";
    } catch (error) {
      if (signal.aborted) throw error;
      this.#settings.report(error);
      return "denied";
    } finally {
      endAsking();
    }
  }

  /**
   * Waits until the start of a call has been sent, so that the text before the call precedes the
   * request for the permission. A tool can ask for the call of another run, which has no start.
   */
  async #untilStarted(call: LocatedCall, signal: AbortSignal): Promise<void> {
    const late = (): Error => new Error("The call has no start");
    try {
      await callWithin(() => this.#startOf(call).promise, { signal, timeoutMs: START_MS, late });
    } catch {
      signal.throwIfAborted();
    }
  }

  #startOf(call: LocatedCall): PromiseWithResolvers<void> {
    const key = JSON.stringify([call.path, call.toolCallId]);
    const start = this.#starts.get(key) ?? Promise.withResolvers<void>();
    this.#starts.set(key, start);
    return start;
  }

  /** Shows the calls that have not ended as failed. Never rejects. */
  async #endCalls(): Promise<void> {
    // If the updates cannot be sent, the connection has ended.
    await this.#send(this.#encoder.endCalls()).catch(() => {});
  }

  async #send(updates: readonly JsonObject[]): Promise<void> {
    const { connection, session: { id: sessionId } } = this.#settings;
    for (const update of updates) {
      await connection.send({ method: "session/update", params: { sessionId, update } });
    }
  }

  /** Stops the run in progress. Never rejects. */
  async #stop(): Promise<void> {
    const { key, report, sessions } = this.#settings;
    await sessions.stop(key).catch(report);
  }

  #kindOf(toolName: string): AcpToolKind {
    const { toolKind } = this.#settings;
    if (toolKind !== undefined) return toolKind(toolName);
    const { openWorld, readOnly } = this.#agent?.registry.get(toolName)?.annotations ?? {};
    return kindOfEditorTool(toolName) ?? (readOnly ? "read" : openWorld ? "fetch" : "other");
  }
}

/** Returns true if an event is the end of the outermost run. */
function isEnd(event: LoopEvent): event is RunEnd {
  return event.path.length <= 1 && (event.type === "run_finished" || event.type === "run_failed");
}

/** Returns a text that is the same for a call with the same tool and input. */
function grantOf({ input, path, toolCallId, toolName }: LocatedCall): string {
  return formatSorted([path, toolCallId, toolName, input]);
}
