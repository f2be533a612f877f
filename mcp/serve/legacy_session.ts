/**
 * The handshake era (up to 2025-11-25) as an adapter over the stateless core: it remembers what `initialize` said, and
 * lets handlers ask the client in the middle of a request.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle Lifecycle}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  failure,
  notification,
  request as makeRequest,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  success,
} from "../jsonrpc/message.ts";
import type { InputRequest } from "../protocol/input_request.ts";
import type { LogLevel } from "../protocol/logging.ts";
import { Method, Notice } from "../protocol/methods.ts";
import type { Peer } from "../protocol/client_description.ts";
import { findRevision, HANDSHAKE_REVISION, type Revision } from "../protocol/revisions.ts";
import type { Change } from "../server/change_notifier.ts";
import type { AskPeer } from "../server/exchange_context.ts";
import type { ServerCore } from "../server/server_core.ts";
import { methodNotFound } from "../server/dispatch.ts";
import { dressHandshake } from "../server/encode_response.ts";
import { answerHandshake, STRANGER } from "../server/initialize.ts";
import type { HandshakeSession, SessionCall } from "./session_contract.ts";

/** Limits of a session. */
export interface ServerSessionOptions {
  /** How long a client may take to answer a question, in milliseconds. Default 10 minutes: people are asked. */
  readonly askTimeoutMs?: number;
  /** How many resources a client may subscribe to. Default 1000. */
  readonly maxSubscriptions?: number;
}

/** Opens a session: the adapter that the ways of serving ask for. */
export function openServerSession(
  server: ServerCore,
  push: (news: RpcNotification) => void,
  options: ServerSessionOptions = {},
): HandshakeSession {
  return new ServerSession(server, push, options);
}

class ServerSession implements HandshakeSession {
  readonly #server: ServerCore;
  readonly #options: ServerSessionOptions;
  readonly #push: (news: RpcNotification) => void;
  readonly #stopListening: () => void;
  readonly #questions = new Map<RequestId, (response: RpcResponse | Error) => void>();
  readonly #subscriptions = new Set<string>();
  #peer: Peer = STRANGER;
  #logLevel: LogLevel = "info";
  #nextQuestion = 1;
  #isClosed = false;

  constructor(
    server: ServerCore,
    push: (news: RpcNotification) => void,
    options: ServerSessionOptions,
  ) {
    this.#server = server;
    this.#options = options;
    this.#push = push;
    this.#stopListening = server.changes.listen((change) => this.#announce(change));
  }

  get isOpen(): boolean {
    return this.#peer !== STRANGER;
  }

  get revision(): Revision {
    return findRevision(this.#peer.protocolVersion) ?? HANDSHAKE_REVISION;
  }

  async exchange(request: RpcRequest, call: SessionCall): Promise<RpcResponse> {
    const own = this.#answerOwn(request);
    if (own !== undefined) return own;
    const peer = { ...this.#peer, logLevel: this.#logLevel };
    return dressHandshake(await this.#server.exchange(request, { ...call, peer, ask: this.#ask }));
  }

  answer(response: RpcResponse): void {
    if (response.id !== null) this.#questions.get(response.id)?.(response);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening();
    const ended = McpError.transportError("session", "the session has ended");
    for (const settle of this.#questions.values()) settle(ended);
  }

  /** The requests that are about the session itself. */
  #answerOwn(request: RpcRequest): RpcResponse | undefined {
    const { params = {} } = request;
    const isSubscription = request.method === Method.Subscribe ||
      request.method === Method.Unsubscribe;
    if (isSubscription) return this.#subscribe(request, params);
    const answered = answerHandshake(request, this.#server.describe());
    if (answered === undefined) return undefined;
    this.#peer = answered.peer ?? this.#peer;
    this.#logLevel = answered.logLevel ?? this.#logLevel;
    return answered.response;
  }

  #subscribe({ id, method }: RpcRequest, { uri }: JsonObject): RpcResponse {
    if (this.#server.describe().capabilities.resources === undefined) {
      return failure(id, methodNotFound(method));
    }
    if (typeof uri !== "string") return invalidParams(id, '"uri" is not a string');
    const { maxSubscriptions = 1000 } = this.#options;
    if (method === Method.Unsubscribe) this.#subscriptions.delete(uri);
    else this.#subscriptions.add(uri);
    if (this.#subscriptions.size > maxSubscriptions) {
      this.#subscriptions.delete(uri);
      return invalidParams(id, `there are ${maxSubscriptions} subscriptions already`);
    }
    return success(id, {});
  }

  /** Asks the client and waits: for the answer, the end of the request, of the session or of the timeout. */
  readonly #ask: AskPeer = (question, signal, emit) => {
    const id = `ask-${this.#nextQuestion++}`;
    const { askTimeoutMs = 600_000 } = this.#options;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#isClosed) {
        return reject(McpError.transportError("session", "the session has ended"));
      }
      const settle = (outcome: RpcResponse | Error): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        this.#questions.delete(id);
        if (outcome instanceof Error) reject(outcome);
        else if ("result" in outcome) resolve(outcome.result);
        else reject(McpError.protocolError(`the client answered: ${outcome.error.message}`));
      };
      const giveUp = (error: Error): void => {
        emit(notification(Notice.Cancelled, { requestId: id, reason: error.message }));
        settle(error);
      };
      const abort = (): void => giveUp(toError(signal.reason));
      const timer = setTimeout(
        () => giveUp(McpError.transportError("session", "the client took too long to answer")),
        askTimeoutMs,
      );
      signal.addEventListener("abort", abort, { once: true });
      this.#questions.set(id, settle);
      emit(makeRequest(id, question.method, toHandshakeParams(question))).then((taken) => {
        if (!taken) {
          settle(McpError.transportError("session", "the client takes no questions now"));
        }
      });
    });
  };

  #announce(change: Change): void {
    if (!this.isOpen) return;
    switch (change.kind) {
      case "tools":
        return this.#push(notification(Notice.ToolsChanged));
      case "prompts":
        return this.#push(notification(Notice.PromptsChanged));
      case "resources":
        return this.#push(notification(Notice.ResourcesChanged));
      case "resource":
        if (!this.#subscriptions.has(change.uri)) return;
        return this.#push(notification(Notice.ResourceUpdated, { uri: change.uri }));
      default:
        change satisfies never;
    }
  }
}

/** Revision 2025-11-25 gives every page that a user is sent to an id. */
function toHandshakeParams({ method, params }: InputRequest): JsonObject {
  if (method !== Method.Elicit || params.mode !== "url") return { ...params };
  return { ...params, elicitationId: crypto.randomUUID() };
}

function invalidParams(id: RequestId, fact: string): RpcResponse {
  return failure(id, { code: RpcErrorCode.InvalidParams, message: `Invalid params: ${fact}` });
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
