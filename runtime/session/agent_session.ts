/**
 * Conversations with an agent that are stored between runs.
 *
 * @module
 */

import { assertMethods } from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import type { ToolLoopAgent } from "../agent/agent.ts";
import type { LoopEvent } from "../loop/events.ts";
import { readRunOptions } from "../loop/run_options.ts";
import { readStreamOptions, type StreamOptions, type ToolLoopStream } from "../loop/stream.ts";
import type { ModelMessage, UserTurn } from "../shared/model.ts";
import type { ToolLoopOutput, TypedOutput } from "../shared/output.ts";
import { joinSignals } from "../shared/platform.ts";
import type { Infer, Schema } from "../shared/typed_schema.ts";
import {
  type AgentSessionOptions,
  readAbandonOptions,
  SESSION_RUN_NAMES,
  SESSION_STREAM_NAMES,
  type SessionRunOptions,
} from "./agent_session_options.ts";
import { AgentSessionRuns } from "./agent_session_runs.ts";
import type { SessionReader } from "./session_reader.ts";
import { isEndOf, SessionStream, unreadReport } from "./session_stream.ts";

/** Returns the reader of a session. Its known records can be replaced before the first run. */
export let readerOf: (session: AgentSession) => SessionReader;

/**
 * A conversation with an agent that is stored between runs, for a program that is the only owner of
 * the conversation, such as a command line, a job or a test. The runs belong to the caller: for a
 * server whose pages are reloaded, use {@linkcode openSessions}.
 *
 * A session keeps the messages that it has read, so that a further run takes the same time in a
 * long conversation as in a short one. Before each run, the session reads the records that were
 * added to the store since; see `loadFrom` of {@linkcode SessionStore}.
 *
 * Each run adds one record with its messages to the {@linkcode SessionStore}. A run that is aborted
 * or fails after it has started is also recorded: its messages form a valid conversation, and
 * calling `run()` without a message continues the conversation. With a `stepRunner`, an aborted run
 * that has only repeated recorded steps is not recorded, because it can be resumed, or is in
 * progress in another request. If another run was added to the session in the meantime, for example
 * by another process, the later run rejects with code `session_conflict`, and the error contains
 * the later run's output. The conflict is detected only after the run, so use a lock if a session
 * often receives concurrent messages. Concurrent executions of one run, for example because a page
 * sends the same approval twice, read the same steps from the journal and do not conflict: the run
 * is added once, and each execution returns its output.
 *
 * A run that waits for an approval is not recorded. With a `stepRunner`,
 * `run(undefined, { decisions })` resumes the run under the same run id. A resumed run calls the
 * approval handler again for each tool call without a decision. After a crash, calling `run()` with
 * the same message also resumes the run. Calling `run()` with a different message abandons the
 * interrupted run: its finished iterations become part of the conversation, and its pending
 * approvals are discarded. The run ids of a session are `<session id>/<number of records>`, with
 * the session id encoded by `encodeURIComponent`.
 *
 * @example Resume a run after an approval
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
 * import { AgentSession, memorySessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({
 *   name: "clerk",
 *   model: scriptedModel([{ calls: [{ toolName: "pay" }] }, { text: "Paid" }]),
 *   approvalHandler: () => ({ decision: "defer" }),
 * });
 * agent.registry.register({ name: "pay", inputSchema: { type: "object" }, execute: () => "ok" });
 * const stepRunner = recordSteps(new MemoryJournal());
 * const session = new AgentSession(agent, { id: "chat-1", store: memorySessions(), stepRunner });
 *
 * const { pending } = await session.run("Pay the bill");
 * const [approval] = pending?.approvals ?? [];
 * const decisions = { [approval?.key ?? ""]: { decision: "approve" as const } };
 * const { finalText } = await session.run(undefined, { decisions });
 * assertEquals(finalText, "Paid");
 * ```
 */
export class AgentSession<S extends Schema = Schema> {
  readonly #agent: ToolLoopAgent<S>;
  readonly #runs: AgentSessionRuns<S>;

  static {
    readerOf = (session) => session.#runs.reader;
  }

  /**
   * Creates a session. The session reads the store when a run starts. A session holds no resources
   * other than memory, so it does not need to be closed.
   *
   * @param agent Agent that responds to the messages. Several sessions can share an agent, but an
   * agent processes one message at a time.
   * @param options Id, store and limits.
   * @throws {TypeError} If `id` is not a non-empty string, or an option has the wrong type.
   * @throws {RangeError} If a limit is not a positive integer.
   */
  constructor(agent: ToolLoopAgent<S>, options: AgentSessionOptions) {
    assertMethods("agent", "a ToolLoopAgent", agent, ["run"]);
    this.#agent = agent;
    this.#runs = new AgentSessionRuns(agent, options);
  }

  /** Id of the session. */
  get id(): string {
    return this.#runs.id;
  }

  /**
   * Returns the stored conversation, without a system message.
   *
   * @throws {AgentError} With code `core` if the session cannot be loaded, a record is damaged, or
   * the session exceeds a limit.
   */
  async messages(): Promise<readonly ModelMessage[]> {
    // A copy, because the next run does not validate the known messages again.
    return (await this.#runs.reader.load()).messages.slice();
  }

  /**
   * Returns true if a run of the session was started and is not part of the conversation yet, for
   * the only owner of the session: the run was interrupted, waits for a decision, or is in progress
   * in this program. The method cannot detect whether another process executes the run; for a
   * session that several requests or processes use, see {@linkcode openSessions}.
   *
   * `run()` without a message resumes the run. If the resumed run waits for a decision, the run
   * calls the approval handler again and ends with stop reason `approval_pending`.
   *
   * Without a `stepRunner`, the session cannot detect interrupted runs, and the result is always
   * false.
   *
   * @throws {AgentError} With code `core` if the session cannot be loaded, or the step runner
   * fails.
   *
   * @example Resume a session's interrupted run after a restart
   * ```ts
   * import { ToolLoopAgent } from "@parley/runtime";
   * import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
   * import { AgentSession, memorySessions } from "@parley/runtime/session";
   * import { scriptedModel } from "@parley/runtime/testing";
   * import { assertEquals } from "@std/assert";
   *
   * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
   * const stepRunner = recordSteps(new MemoryJournal());
   * const session = new AgentSession(agent, { id: "chat-1", store: memorySessions(), stepRunner });
   * if (await session.hasUnfinishedRun()) await session.run();
   * assertEquals((await session.messages()).length, 0);
   * ```
   */
  async hasUnfinishedRun(): Promise<boolean> {
    return await this.#runs.hasUnfinished();
  }

  /**
   * Runs the agent for one user turn, with the stored conversation, and adds the run to the
   * session.
   *
   * @param userMessage Message from the user: text or parts. If omitted, the run resumes the
   * interrupted run, or continues a conversation that ends with a user message or a tool message,
   * for example after a failed run.
   * @param options Options for the run.
   * @returns Output of the run.
   * @throws {AgentError} With code `session_conflict` if another run was added to the session
   * first. The output of the run is the error's `partialOutput`.
   * @throws {AgentError} With code `core` if the session cannot be loaded or stored, or exceeds a
   * limit. If the error occurs after the run has ended, the output of the run is the error's
   * `partialOutput`.
   * @throws {AgentError} With code `core` if `userMessage` is omitted and all `decisions` are for
   * runs that have ended, were abandoned or are not in the journal, or if the session has no
   * `stepRunner`.
   * @throws The signal's reason if the signal is aborted and the store does not load the session
   * within 250 ms, or before the step runner has read the start of an interrupted run.
   * @throws Any error that {@linkcode ToolLoopAgent.run} throws.
   */
  async run(
    userMessage?: UserTurn,
    options: SessionRunOptions = {},
  ): Promise<TypedOutput<Infer<S>>> {
    const run = await this.#runs.open(userMessage, readRunOptions(options, SESSION_RUN_NAMES));
    try {
      const [end] = await Promise.allSettled([this.#agent.run(userMessage, run.options)]);
      return await this.#runs.close(run, end);
    } finally {
      run.signal.close();
    }
  }

  /**
   * Runs the agent as {@linkcode AgentSession.run} does, and yields the events of the run. The run
   * starts with the first call to `next()`. If the caller leaves the loop, the run is aborted and
   * added to the session.
   *
   * The `run_finished` event is yielded after the run has been added to the session. If the run
   * cannot be added, the stream yields `run_failed` instead of `run_finished`, and rejects.
   *
   * @param userMessage Message from the user, as in {@linkcode AgentSession.run}.
   * @param options Options for the run and for the event queue.
   * @returns An iterator over the events, whose return value is the output of the run. If the run
   * fails or cannot be added to the session, the iterator rejects after the last event, with the
   * error that {@linkcode AgentSession.run} would throw.
   *
   * @example Show the text of a response as it arrives
   * ```ts
   * import { answerText, ToolLoopAgent } from "@parley/runtime";
   * import { AgentSession, memorySessions } from "@parley/runtime/session";
   * import { scriptedModel } from "@parley/runtime/testing";
   * import { assertEquals } from "@std/assert";
   *
   * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "One two" }]) });
   * const session = new AgentSession(agent, { id: "chat-1", store: memorySessions() });
   * const pieces: string[] = [];
   * for await (const text of answerText(session.stream("Count"))) pieces.push(text);
   * assertEquals(pieces, ["One ", "two"]);
   * assertEquals((await session.messages()).at(-1)?.role, "assistant");
   * ```
   */
  stream(
    userMessage?: UserTurn,
    options: SessionRunOptions & StreamOptions = {},
  ): ToolLoopStream {
    const { maxQueued, warnAfterMs, ...read } = readRunOptions(options, SESSION_STREAM_NAMES);
    const settings = readStreamOptions(defined({ maxQueued, warnAfterMs }));
    const report = unreadReport(this.#agent, { ...settings, signal: read.signal });
    const start = (closed: AbortSignal) =>
      this.#events(userMessage, { ...read, maxQueued: settings.maxQueued }, closed);
    return new SessionStream(start, report);
  }

  async *#events(
    turn: UserTurn | undefined,
    { maxQueued, ...options }: SessionRunOptions & StreamOptions,
    closed: AbortSignal,
  ): AsyncGenerator<LoopEvent, ToolLoopOutput | undefined, void> {
    const signal = joinSignals(closed, options.signal);
    const run = await this.#runs.open(turn, { ...options, signal });
    try {
      const events = this.#agent.stream(turn, defined({ ...run.options, maxQueued }));
      let finished: LoopEvent | undefined;
      let end: PromiseSettledResult<ToolLoopOutput | undefined> | undefined;
      while (end === undefined) {
        const [step] = await Promise.allSettled([events.next()]);
        if (step.status === "rejected") end = step;
        else if (step.value.done) end = { status: "fulfilled", value: step.value.value };
        else if (isEndOf(run, step.value.value)) finished = step.value.value;
        else yield step.value.value;
      }
      const [closing] = await Promise.allSettled([this.#runs.close(run, end)]);
      if (closing.status === "fulfilled") {
        if (finished !== undefined) yield finished;
        return closing.value;
      }
      const { reason: error } = closing;
      if (finished !== undefined) {
        const { at, path, runId } = finished;
        yield { type: "run_failed", runId, path, at, error };
      }
      throw error;
    } finally {
      run.signal.close();
    }
  }

  /**
   * Adds the finished iterations of the interrupted or waiting run to the session, with the stop
   * reason `abandoned`, so that the session can continue with a different message. Calls no model
   * and no tool.
   *
   * @param options Signal that ends the wait.
   * @returns `false` if there is no such run, or the session has no `stepRunner`.
   * @throws {AgentError} With code `core` if the session or the run cannot be loaded or stored.
   * @throws {AgentError} With code `session_conflict` if another run was added first.
   * @throws The signal's reason if the signal is aborted.
   *
   * @example Give up a run that waits for an approval
   * ```ts
   * import { ToolLoopAgent } from "@parley/runtime";
   * import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
   * import { AgentSession, memorySessions } from "@parley/runtime/session";
   * import { scriptedModel } from "@parley/runtime/testing";
   * import { assertEquals } from "@std/assert";
   *
   * const agent = new ToolLoopAgent({
   *   name: "clerk",
   *   model: scriptedModel([{ calls: [{ toolName: "pay" }] }]),
   *   tools: [{ name: "pay", inputSchema: { type: "object" }, execute: () => "paid" }],
   *   approvalHandler: () => ({ decision: "defer" }),
   * });
   * const stepRunner = recordSteps(new MemoryJournal());
   * const session = new AgentSession(agent, { id: "chat-1", store: memorySessions(), stepRunner });
   * await session.run("Pay the bill");
   * assertEquals([await session.abandon(), await session.abandon()], [true, false]);
   * ```
   */
  async abandon(options: { readonly signal?: AbortSignal } = {}): Promise<boolean> {
    return await this.#runs.abandon(readAbandonOptions(options).signal);
  }
}
