/**
 * Sessions: conversations with an agent that are stored between runs.
 *
 * {@linkcode openSessions} is for servers. The runs belong to the sessions: a run continues if its
 * connection ends, any connection of any process can read and stop it, and another process takes it
 * over after a crash. The sessions are in a {@linkcode SessionStorage}: {@linkcode memoryStorage},
 * `sqliteStorage` from `@parley/runtime/sqlite`, or a custom one. `uiChatHandler` from
 * `@parley/runtime/ui/ai-sdk` serves them to chat pages.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryStorage, openSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "a", model }),
 * });
 * const run = await sessions.send("chat-1", "Hi"); // has started, whether or not it is read
 * let text = "";
 * for await (const { event } of run) if (event.type === "text_delta") text += event.text;
 * assertEquals(text, "Hello");
 * ```
 *
 * {@linkcode AgentSession} is for a program that is the only owner of a conversation, such as a
 * command line. It adds one record per run to a {@linkcode SessionStore}, an interface with two
 * functions that can be implemented with any database. {@linkcode memorySessions} stores sessions
 * in memory, and {@linkcode jsonlSessions} stores sessions in files.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { AgentSession, memorySessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }, { text: "You said hi" }]);
 * const agent = new ToolLoopAgent({ name: "a", model });
 * const session = new AgentSession(agent, { id: "chat-1", store: memorySessions() });
 * await session.run("Hi");
 * assertEquals((await session.run("What did I say?")).finalText, "You said hi");
 * ```
 *
 * An `AgentSession` records whole runs. To record the steps within a run, use a journal; see
 * `@parley/runtime/journal`. The sessions of `openSessions` record the steps themselves.
 *
 * @module
 */

export { AgentSession } from "./session/agent_session.ts";
export type { AgentSessionOptions, SessionRunOptions } from "./session/agent_session_options.ts";
export { type JsonlSessions, jsonlSessions, type JsonlSessionsOptions } from "./session/jsonl.ts";
export type { LogEntry, RunStateEvent } from "./log/log_entry.ts";
export type { LiveEvent, LiveRun, LogResetEvent } from "./log/live_run.ts";
export { memoryStorage, type MemoryStorageOptions } from "./session/memory_storage.ts";
export type { SessionStopReason, StoredSessionRun } from "./session/record.ts";
export type {
  RunClaim,
  RunFinish,
  RunHead,
  RunHistoryFilter,
  RunHistoryPosition,
  RunHold,
  RunLog,
  RunLogFilter,
  RunPhase,
  RunPurge,
  RunRange,
} from "./log/run_log.ts";
export { openSessions } from "./session/open_sessions.ts";
export type { RunContext } from "./shared/run_context.ts";
export type { RunFailure } from "./shared/run_failure.ts";
export { Sessions } from "./session/sessions.ts";
export type {
  CurrentSessionRun,
  SessionRun,
  SessionState,
  SessionSummary,
} from "./session/session_state.ts";
export type { SessionFilter, SessionRunFilter, SessionStatus } from "./session/session_filters.ts";
export type { RunLogOptions, RunReadOptions } from "./log/log_options.ts";
export type {
  AttachOptions,
  SendOptions,
  SessionsOptions,
  StopOptions,
} from "./session/sessions_options.ts";
export type { SessionEnd, SessionRecords, SessionStorage, StepStore } from "./session/storage.ts";
export { memorySessions, type MemorySessionsOptions, type SessionStore } from "./session/store.ts";
