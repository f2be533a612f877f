/**
 * The methods of the Agent Client Protocol that an agent has.
 *
 * @see {@link https://agentclientprotocol.com/protocol/v1/overview Overview}
 * @module
 */

import { createErrorReporter } from "@parley/internal/error-reporter";
import { defined, type UnknownRecord } from "@parley/internal/json";
import { reportRejection } from "@parley/internal/report-rejection";
import type { ToolLoopAgent } from "../agent/agent.ts";
import { openSessions } from "../session/open_sessions.ts";
import type { SessionState } from "../session/session_state.ts";
import type { Sessions } from "../session/sessions.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { toUserMessage } from "../loop/conversation.ts";
import type { ModelMessage } from "../shared/model.ts";
import { createAbortReason } from "../shared/platform.ts";
import type { AcpSettings } from "./acp_options.ts";
import type { AcpClientCapabilities, AcpSession, AcpToolKind } from "./acp_session.ts";
import { Connection, type RpcHandler, type WriteText } from "./connection.ts";
import { Editor } from "./editor.ts";
import { readPrompt } from "./prompt_content.ts";
import { PromptRun } from "./prompt_run.ts";
import { replayMessage } from "./replay.ts";
import { AcpErrorCode, invalidParams, invalidRequest, RpcError } from "./rpc_error.ts";
import { readCapabilities, readSessionId, readSessionParams } from "./session_params.ts";
import { kindOfEditorTool } from "./session_update.ts";

/** Version of the protocol. */
const PROTOCOL_VERSION = 1;

/** Start of the ids in the storage, which other programs may share. */
const KEY_PREFIX = "acp/";

/** A session that the editor has opened, and its prompt in progress. */
interface OpenSession {
  session: AcpSession;
  prompt: PromptRun | undefined;
  /** Aborts the signal of the session. */
  readonly closed: AbortController;
  /** Whether the stored messages are being sent. */
  isLoading: boolean;
}

/** Serves the methods of the agent on one connection. */
export class AcpServer implements RpcHandler {
  readonly connection: Connection;
  readonly #settings: AcpSettings;
  readonly #report: (error: unknown) => void;
  readonly #sessions: Sessions;
  readonly #open = new Map<string, OpenSession>();
  #capabilities: AcpClientCapabilities | undefined;
  #closing: Promise<void> | undefined;

  constructor(write: WriteText, settings: AcpSettings) {
    const { maxRequests, onError, storage, unreadTimeoutMs } = settings;
    const report = createErrorReporter("serveAcp", onError);
    this.#settings = settings;
    this.#report = report;
    this.connection = new Connection(write, { maxRequests, unreadTimeoutMs, report });
    const agent = (key: string): Promise<ToolLoopAgent> => this.#make(key);
    this.#sessions = openSessions({ storage, agent, onError: report });
  }

  /** Handles a request. */
  async handle(method: string, params: UnknownRecord, signal: AbortSignal): Promise<JsonObject> {
    if (method === "initialize") return this.#initialize(params);
    if (this.#capabilities === undefined) {
      throw invalidRequest('"initialize" must be the first request');
    }
    switch (method) {
      case "session/new":
        return this.#create(params, this.#capabilities);
      case "session/load":
        return await this.#load(params, this.#capabilities, { replays: true });
      case "session/resume":
        return await this.#load(params, this.#capabilities, { replays: false });
      case "session/close":
        return await this.#closeSession(readSessionId(params));
      case "session/set_mode":
        return this.#setMode(params);
      case "session/prompt":
        return await this.#prompt(params, signal);
      default:
        throw new RpcError(AcpErrorCode.MethodNotFound, "Method not found");
    }
  }

  /** Handles a notification. Unknown notifications are ignored. */
  notify(method: string, { sessionId }: UnknownRecord): void {
    if (method !== "session/cancel" || typeof sessionId !== "string") return;
    this.#open.get(sessionId)?.prompt?.cancel();
  }

  /** Ends the prompts, and disposes of the storage. Later calls return the same promise. */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    await this.connection.endInput();
    for (const { closed } of this.#open.values()) endSession(closed);
    await this.#sessions.close();
  }

  #initialize(params: UnknownRecord): JsonObject {
    if (!Number.isInteger(params.protocolVersion)) {
      throw invalidParams('"protocolVersion" must be an integer');
    }
    if (this.#capabilities !== undefined) {
      throw invalidRequest("the connection is already initialized");
    }
    this.#capabilities = readCapabilities(params);
    const { image, mcpOverHttp, name, version } = this.#settings;
    return {
      // An editor that does not support this version closes the connection.
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name, version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image, audio: false, embeddedContext: true },
        mcpCapabilities: { http: mcpOverHttp, sse: false },
        sessionCapabilities: { resume: {}, close: {}, additionalDirectories: {} },
      },
      authMethods: [],
    };
  }

  #create(params: UnknownRecord, capabilities: AcpClientCapabilities): JsonObject {
    const sessionId = crypto.randomUUID();
    return { sessionId, ...this.#openSession(sessionId, params, capabilities) };
  }

  async #load(
    params: UnknownRecord,
    capabilities: AcpClientCapabilities,
    { replays }: { readonly replays: boolean },
  ): Promise<JsonObject> {
    const sessionId = readSessionId(params);
    this.#assertIdle(sessionId);
    const state = await this.#sessions.state(KEY_PREFIX + sessionId);
    if (state.runs.length === 0 && state.current === undefined) throw unknownSession();
    const opened = this.#openSession(sessionId, params, capabilities);
    if (!replays) return opened;
    const open = this.#find(sessionId);
    open.isLoading = true;
    try {
      await this.#replay(sessionId, state);
    } finally {
      open.isLoading = false;
    }
    return opened;
  }

  /** Opens a session, or replaces the directories and MCP servers of an open session. */
  #openSession(
    id: string,
    params: UnknownRecord,
    capabilities: AcpClientCapabilities,
  ): JsonObject {
    const { editorTimeoutMs: timeoutMs, maxSessions, modes } = this.#settings;
    const read = readSessionParams(params, this.#settings);
    this.#assertIdle(id);
    if (!this.#open.has(id) && this.#open.size >= maxSessions) {
      throw new RpcError(
        AcpErrorCode.InternalError,
        `Too many sessions are open: the maximum is ${maxSessions}`,
      );
    }
    const { connection } = this;
    const { cwd } = read;
    const client = new Editor({
      sessionId: id,
      cwd,
      capabilities,
      connection,
      timeoutMs,
      ask: async (input, context) => await this.#open.get(id)?.prompt?.ask(input, context) ?? false,
    });
    const modeId = modes[0]?.id;
    const closed = new AbortController();
    const before = this.#open.get(id);
    this.#open.set(id, {
      session: { id, ...read, modeId, client, signal: closed.signal },
      prompt: undefined,
      closed,
      isLoading: false,
    });
    if (before !== undefined) endSession(before.closed);
    if (modeId === undefined) return {};
    const availableModes = modes.map(({ description, id, name }) =>
      defined({ id, name, description })
    );
    return { modes: { currentModeId: modeId, availableModes } };
  }

  async #replay(sessionId: string, { current, runs }: SessionState): Promise<void> {
    const { toolKind } = this.#settings;
    const kindOf = toolKind ?? ((name: string): AcpToolKind => kindOfEditorTool(name) ?? "other");
    const turn = current?.turn;
    const messages: readonly ModelMessage[] = [
      ...runs.flatMap((run) => run.messages),
      ...turn === undefined ? [] : [toUserMessage(turn)],
    ];
    for (const message of messages) {
      for (const update of replayMessage(message, kindOf)) {
        await this.connection.send({ method: "session/update", params: { sessionId, update } });
      }
    }
  }

  async #closeSession(id: string): Promise<JsonObject> {
    const open = this.#open.get(id);
    // Without a prompt, the session is closed before the next message is handled.
    if (open?.prompt !== undefined) {
      open.prompt.cancel();
      await open.prompt.done;
    }
    if (open !== undefined && this.#open.get(id) === open) {
      this.#open.delete(id);
      endSession(open.closed);
    }
    return {};
  }

  #setMode(params: UnknownRecord): JsonObject {
    const open = this.#find(readSessionId(params));
    const mode = this.#settings.modes.find(({ id }) => id === params.modeId);
    if (mode === undefined) throw invalidParams('"modeId" must be the id of a mode');
    open.session = { ...open.session, modeId: mode.id };
    return {};
  }

  async #prompt(params: UnknownRecord, signal: AbortSignal): Promise<JsonObject> {
    const id = readSessionId(params);
    const open = this.#find(id);
    const turn = readPrompt(params, this.#settings);
    this.#assertIdle(id);
    const prompt = new PromptRun({
      sessions: this.#sessions,
      key: KEY_PREFIX + id,
      session: open.session,
      connection: this.connection,
      toolKind: this.#settings.toolKind,
      mask: (error) => this.#mask(error),
      report: this.#report,
    });
    open.prompt = prompt;
    const cancel = (): void => prompt.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const stopReason = await prompt.execute(turn);
      if (signal.aborted) throw new RpcError(AcpErrorCode.RequestCancelled, "Request cancelled");
      return { stopReason };
    } catch (error) {
      throw toRpcError(error);
    } finally {
      signal.removeEventListener("abort", cancel);
      open.prompt = undefined;
    }
  }

  /** Creates the agent of a run. */
  async #make(key: string): Promise<ToolLoopAgent> {
    const id = key.slice(KEY_PREFIX.length);
    const open = this.#open.get(id);
    if (open === undefined) {
      throw AgentError.core(`Cannot run session "${id}": the editor has closed the session`);
    }
    const { prompt } = open;
    const agent = await this.#settings.make(prompt?.session ?? open.session);
    prompt?.setAgent(agent);
    return agent;
  }

  #mask(error: unknown): string {
    try {
      const text: unknown = this.#settings.errorText?.(error);
      reportRejection(text, this.#report);
      if (typeof text === "string") return text;
    } catch (failure) {
      this.#report(failure);
    }
    return "Internal error";
  }

  #find(id: string): OpenSession {
    const open = this.#open.get(id);
    if (open === undefined) throw unknownSession();
    return open;
  }

  #assertIdle(id: string): void {
    const open = this.#open.get(id);
    if (open?.isLoading) throw invalidRequest("the session is being loaded");
    if (open?.prompt !== undefined) throw invalidRequest("a prompt of the session is in progress");
  }
}

function endSession(closed: AbortController): void {
  closed.abort(createAbortReason("The session was closed", "AbortError"));
}

function unknownSession(): RpcError {
  return new RpcError(AcpErrorCode.ResourceNotFound, "Resource not found: no such session is open");
}

/** Returns the error for a message that the sessions have rejected. */
function toRpcError(error: unknown): unknown {
  if (!AgentError.isAgentError(error)) return error;
  if (error.is("session_busy")) {
    return invalidRequest(
      "another process executes a run of the session, or ended less than 15 seconds ago",
    );
  }
  if (error.is("capacity_exceeded") || error.is("sessions_closed")) {
    return new RpcError(AcpErrorCode.InternalError, "The agent cannot start another run now");
  }
  return error;
}
