/**
 * Sessions for legacy protocol versions (2025-11-25 and earlier), built on the stateless server
 * core. A session stores the client description from `initialize` and sends server requests to the
 * client.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle Lifecycle}
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { formatValue } from "@parley/internal/format-value";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  failure,
  type McpErrorObject,
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
import { Method, NotificationMethod } from "../protocol/methods.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import { findRevision, LATEST_LEGACY_REVISION, type Revision } from "../protocol/revisions.ts";
import type { Change } from "../server/change_bus.ts";
import { type Principal, type SendInputRequest, signalOf } from "../server/exchange_context.ts";
import {
  acceptsResource,
  type ExtensionSubscription,
  type SendExtensionNotification,
} from "../server/extension_subscription.ts";
import { MAX_URI_CHARS } from "../server/subscriptions.ts";
import type { ServerCore } from "../server/server_core.ts";
import { methodNotFound, toErrorObject } from "../server/dispatch.ts";
import { encodeLegacy } from "../server/encode_response.ts";
import { handleLifecycleRequest, UNKNOWN_CLIENT } from "../server/initialize.ts";
import type { ServerSession, SessionExchange } from "./session_contract.ts";

/** Options for {@linkcode openServerSession}. */
export interface ServerSessionOptions {
  /** Timeout for the client's response to a server request, in milliseconds. */
  readonly inputTimeoutMs: number;
  /** Maximum number of resource subscriptions in the session. */
  readonly maxResourceSubscriptions: number;
  /**
   * Memory budget for the subscribed URIs. If omitted, only the number and the length of the URIs
   * are limited.
   */
  readonly storage?: SubscriptionStorage;
}

/** A memory budget for subscribed URIs. */
export interface SubscriptionStorage {
  /**
   * Reserves capacity for a URI. Returns the name of the exceeded limit, or `undefined` on success.
   */
  reserve(uri: string): string | undefined;
  /** Releases the capacity for a URI. */
  release(uri: string): void;
}

/** Opens a legacy session. */
export function openServerSession(
  server: ServerCore,
  push: (notification: RpcNotification) => void,
  options: ServerSessionOptions,
): ServerSession {
  return new LegacyServerSession(server, push, options);
}

/**
 * Maximum length of a client description that is stored as a parsed object, in characters of its
 * JSON.
 */
const MAX_PARSED_CHARS = 2048;

class LegacyServerSession implements ServerSession {
  readonly #server: ServerCore;
  readonly #options: ServerSessionOptions;
  readonly #push: (notification: RpcNotification) => void;
  readonly #stopListening: () => void;
  readonly #pendingInputs = new Map<RequestId, (response: RpcResponse | Error) => void>();
  /** The extensions' subscriptions to each subscribed resource, keyed by URI. */
  readonly #subscriptions = new Map<string, readonly ExtensionSubscription[]>();
  /**
   * Client description. A long description is stored as JSON, because a parsed object can take 14
   * bytes per character.
   */
  #client: ClientDescription | string = UNKNOWN_CLIENT;
  #revision = LATEST_LEGACY_REVISION;
  #logLevel: LogLevel = "info";
  #principal: Principal | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(
    server: ServerCore,
    push: (notification: RpcNotification) => void,
    options: ServerSessionOptions,
  ) {
    this.#server = server;
    this.#options = options;
    this.#push = push;
    this.#stopListening = server.changes.listen((change) => this.#onChange(change));
  }

  get isOpen(): boolean {
    return this.#client !== UNKNOWN_CLIENT;
  }

  get revision(): Revision {
    return this.#revision;
  }

  async exchange(request: RpcRequest, context: SessionExchange): Promise<RpcResponse> {
    // All requests of a session have the same subject, but a newer access token can have different
    // scopes.
    this.#principal = context.principal;
    if (request.method === Method.Subscribe) return await this.#subscribe(request, context);
    if (request.method === Method.Unsubscribe) return this.#unsubscribe(request);
    const lifecycle = this.#handleLifecycle(request);
    if (lifecycle !== undefined) return lifecycle;
    const client = { ...this.#describeClient(), logLevel: this.#logLevel };
    return encodeLegacy(
      await this.#server.exchange(request, { ...context, client, ask: this.#ask }),
    );
  }

  onResponse(response: RpcResponse): void {
    if (response.id !== null) this.#pendingInputs.get(response.id)?.(response);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopListening();
    for (const subscriptions of this.#subscriptions.values()) stopAll(subscriptions);
    this.#subscriptions.clear();
    const ended = McpError.transportError("session", "the session has ended");
    for (const settle of this.#pendingInputs.values()) settle(ended);
  }

  /**
   * Handles `initialize`, `ping` and `logging/setLevel`. Returns `undefined` for a request with any
   * other method.
   */
  #handleLifecycle(request: RpcRequest): RpcResponse | undefined {
    const lifecycle = handleLifecycleRequest(request, this.#server.describe());
    if (lifecycle === undefined) return undefined;
    if (lifecycle.client !== undefined) this.#storeClient(lifecycle.client);
    this.#logLevel = lifecycle.logLevel ?? this.#logLevel;
    return lifecycle.response;
  }

  #storeClient(client: ClientDescription): void {
    const text = JSON.stringify(client);
    this.#client = text.length > MAX_PARSED_CHARS ? text : client;
    this.#revision = findRevision(client.protocolVersion) ?? LATEST_LEGACY_REVISION;
  }

  #describeClient(): ClientDescription {
    // `#storeClient` created the string by serializing a client description.
    return typeof this.#client === "string"
      ? JSON.parse(this.#client) as ClientDescription
      : this.#client;
  }

  async #subscribe(request: RpcRequest, context: SessionExchange): Promise<RpcResponse> {
    const { id } = request;
    const uri = this.#readSubscription(request);
    if (typeof uri !== "string") return uri;
    try {
      // The response promises that the client receives updates, including updates from other
      // processes.
      await abortable(this.#server.changes.ready(), context.signal);
    } catch (error) {
      context.signal.throwIfAborted();
      // The server has already reported the error.
      return failure(id, toErrorObject(error, () => {}));
    }
    if (this.#subscriptions.has(uri)) return success(id, {});
    const refusal = this.#reserve(uri, id);
    if (refusal !== undefined) return refusal;
    const entry: ExtensionSubscription[] = [];
    this.#subscriptions.set(uri, entry);
    const isCurrent = (): boolean => this.#subscriptions.get(uri) === entry;
    try {
      const opening = this.#listenToExtensions(uri, context);
      entry.push(
        ...await abortable(opening, context.signal).catch((error) => {
          // Stop subscriptions that open after the request was cancelled.
          opening.then(stopAll, () => {});
          throw error;
        }),
      );
      // The client may have unsubscribed, or the session may have ended.
      if (!isCurrent()) stopAll(entry);
      return success(id, {});
    } catch (error) {
      if (isCurrent()) this.#remove(uri);
      context.signal.throwIfAborted();
      return failure(id, toErrorObject(error, (unknown) => this.#server.report(unknown)));
    }
  }

  #unsubscribe(request: RpcRequest): RpcResponse {
    const uri = this.#readSubscription(request);
    if (typeof uri !== "string") return uri;
    this.#remove(uri);
    return success(request.id, {});
  }

  /** Returns the URI of a request to subscribe or unsubscribe, or an error response. */
  #readSubscription({ id, method, params = {} }: RpcRequest): string | RpcResponse {
    if (this.#server.describe().capabilities.resources?.subscribe !== true) {
      return failure(id, methodNotFound(method));
    }
    const { uri } = params;
    return typeof uri === "string" ? uri : invalidParams(id, '"uri" must be a string');
  }

  /** Reserves capacity for a subscription. Returns an error response if a limit is exceeded. */
  #reserve(uri: string, id: RequestId): RpcResponse | undefined {
    const { maxResourceSubscriptions, storage } = this.#options;
    if (uri.length > MAX_URI_CHARS) {
      return invalidParams(
        id,
        `"uri" must have at most ${MAX_URI_CHARS} characters, got ${uri.length}`,
      );
    }
    if (this.#subscriptions.size >= maxResourceSubscriptions) {
      return invalidParams(
        id,
        `too many resource subscriptions: maximum is ${maxResourceSubscriptions}`,
      );
    }
    const limit = storage?.reserve(uri);
    if (limit !== undefined) {
      const message =
        `Too many characters in resource subscriptions: "sessions.${limit}" is exceeded`;
      return failure(id, { code: RpcErrorCode.InternalError, message });
    }
    return undefined;
  }

  #remove(uri: string): void {
    const subscriptions = this.#subscriptions.get(uri);
    if (subscriptions === undefined) return;
    this.#subscriptions.delete(uri);
    this.#options.storage?.release(uri);
    stopAll(subscriptions);
  }

  /**
   * Subscribes to the notifications that the server's extensions send about a resource.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if an extension does not
   * accept the URI.
   */
  async #listenToExtensions(
    uri: string,
    context: SessionExchange,
  ): Promise<readonly ExtensionSubscription[]> {
    const { principal } = context;
    const subscriber = { client: this.#describeClient(), principal, signal: signalOf(context) };
    const send: SendExtensionNotification = (method, _subject, params) => {
      if (typeof params !== "function") return this.#push(notification(method, params));
      const push = async (): Promise<void> => {
        const read = await params();
        if (read !== undefined && this.isOpen) this.#push(notification(method, read));
      };
      push().catch((error) => this.#server.report(error));
    };
    const wanted = { resourceSubscriptions: [uri] };
    // An extension can end a subscription stream but not a legacy session, so `end` does nothing.
    const subscriptions = await this.#server.listenToExtensions(wanted, subscriber, send, () => {});
    if (subscriptions.every((one) => acceptsResource(one, uri))) return subscriptions;
    stopAll(subscriptions);
    throw McpError.protocolError(`Cannot subscribe to ${formatValue(uri)}`, {
      rpcCode: RpcErrorCode.InternalError,
    });
  }

  /**
   * Sends a server request. Rejects if the client's request is aborted, the session ends or the
   * timeout expires.
   */
  readonly #ask: SendInputRequest = (inputRequest, signal, emit) => {
    const id = `ask-${this.#nextId++}`;
    const { inputTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#isClosed) {
        return reject(McpError.transportError("session", "the session has ended"));
      }
      const settle = (outcome: RpcResponse | Error): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        this.#pendingInputs.delete(id);
        if (outcome instanceof Error) reject(outcome);
        else if ("result" in outcome) resolve(outcome.result);
        else reject(toProtocolError(outcome.error));
      };
      const cancel = (error: Error): void => {
        emit(notification(NotificationMethod.Cancelled, { requestId: id, reason: error.message }));
        settle(error);
      };
      const abort = (): void => cancel(toError(signal.reason));
      const timer = setTimeout(
        () => {
          const reason = `"${inputRequest.method}" timed out after ${inputTimeoutMs} ms`;
          cancel(McpError.transportError("session", reason));
        },
        inputTimeoutMs,
      );
      signal.addEventListener("abort", abort, { once: true });
      this.#pendingInputs.set(id, settle);
      emit(makeRequest(id, inputRequest.method, toLegacyParams(inputRequest))).then((taken) => {
        if (!taken) {
          settle(McpError.transportError("session", "the client cannot receive server requests"));
        }
      }).catch((error) => settle(toError(error)));
    });
  };

  #onChange(change: Change): void {
    if (!this.isOpen) return;
    if (change.kind === "resource" && !this.#subscriptions.has(change.uri)) return;
    if (!this.#server.canSeeChange(change, this.#principal)) return;
    switch (change.kind) {
      case "tools":
        return this.#push(notification(NotificationMethod.ToolsChanged));
      case "prompts":
        return this.#push(notification(NotificationMethod.PromptsChanged));
      case "resources":
        return this.#push(notification(NotificationMethod.ResourcesChanged));
      case "resource":
        return this.#push(notification(NotificationMethod.ResourceUpdated, { uri: change.uri }));
      default:
        change satisfies never;
    }
  }
}

function stopAll(subscriptions: readonly ExtensionSubscription[]): void {
  for (const one of subscriptions) one.stop();
}

/**
 * Adds the `elicitationId` that protocol version 2025-11-25 requires in URL mode, unless the
 * handler has set it.
 */
function toLegacyParams({ method, params }: InputRequest): JsonObject {
  if (method !== Method.Elicit || params.mode !== "url") return { ...params };
  return { ...params, elicitationId: params.elicitationId ?? crypto.randomUUID() };
}

function invalidParams(id: RequestId, fact: string): RpcResponse {
  return failure(id, { code: RpcErrorCode.InvalidParams, message: `Invalid params: ${fact}` });
}

/**
 * Does not copy the client's error code to `rpcCode`, because `rpcCode` becomes the error code in
 * the server's response.
 */
function toProtocolError({ code, message }: McpErrorObject): McpError {
  return McpError.protocolError(`client returned error ${code}: ${message}`);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
