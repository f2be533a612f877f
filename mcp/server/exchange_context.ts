/**
 * Request context provided by the serving layer: client, abort signal and message channel.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { InputRequest } from "../protocol/input_request.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import type { McpErrorObject, RpcNotification, RpcRequest } from "../jsonrpc/message.ts";
import type { ParameterHeader } from "../protocol/headers.ts";

/** Authenticated user or application on whose behalf a request is sent. */
export interface Principal {
  /**
   * Identifier of the principal, such as the `sub` claim of an access token or a user name. Must
   * have a visible character.
   */
  readonly subject: string;
  /** Granted OAuth scopes. */
  readonly scopes?: readonly string[];
  /**
   * Further facts about the principal, such as the claims that `claimNames` of `jwtVerifier`
   * selects. The server passes the claims to handlers and does not read them.
   */
  readonly claims?: Readonly<Record<string, unknown>>;
  /**
   * Identifier of the principal together with its rights. A gateway shares the connections of a
   * principal among requests with the same key. If omitted, the key is the subject.
   * `resourceServer` sets a key for each issuer, subject, client, set of claims and set of scopes.
   * Sessions and tasks belong to the subject, so that a client can request more scopes without
   * losing them.
   */
  readonly key?: string;
}

/**
 * Sends a message to the client. Resolves to `true` when the message is accepted for sending, or to
 * `false` if it is dropped.
 */
export type Emit = (message: RpcNotification | RpcRequest) => Promise<boolean>;

/**
 * Sends a server request to the client and returns its result, which is possible only in legacy
 * sessions.
 */
export type SendInputRequest = (
  question: InputRequest,
  signal: AbortSignal,
  emit: Emit,
) => Promise<JsonObject>;

/** An abort signal that is created on first access, because creating it is expensive. */
export interface SignalSource {
  /** Whether the signal is aborted. */
  readonly aborted: boolean;
  /** Abort reason, or `undefined` while the signal is not aborted. */
  readonly reason: unknown;
  /** The signal as an `AbortSignal`, which is created on first access. */
  readonly signal: AbortSignal;
  /**
   * Throws if the signal is aborted.
   *
   * @throws The signal's reason.
   */
  throwIfAborted(): void;
  /** Adds a listener for the `abort` event. */
  addEventListener(type: "abort", listener: () => void): void;
  /** Removes a listener for the `abort` event. */
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Request context provided by the serving layer. */
export interface ExchangeContext {
  /** Client that sent the request. */
  readonly client: ClientDescription;
  /** Signal that is aborted when the request is cancelled or its connection closes. */
  readonly signal: AbortSignal | SignalSource;
  /**
   * Sends notifications and server requests before the response. If omitted, notifications and
   * server requests are dropped.
   */
  readonly emit?: Emit;
  /** Called if the response is not available immediately. */
  readonly onDelay?: () => void;
  /**
   * Sends a server request to the client. If omitted, requesting input ends the request with the
   * result type `input_required`.
   */
  readonly ask?: SendInputRequest;
  /** Transport of the request; by default, `pipe`. */
  readonly transport?: "http" | "pipe";
  /** Authenticated principal, absent if the request is not authenticated. */
  readonly principal?: Principal | undefined;
  /**
   * Compares the headers that mirror arguments of the called tool with the request. Returns the
   * error for the response, or `undefined` if they match. Called with the headers of the tool that
   * is about to run. If omitted, the request has no headers.
   */
  readonly checkToolHeaders?: (
    parameters: readonly ParameterHeader[],
  ) => McpErrorObject | undefined;
  /**
   * Closes the request's SSE stream without ending the request. The client resumes the stream with
   * `Last-Event-ID`.
   */
  readonly closeStream?: () => void;
}

/** Returns a request's `AbortSignal`, creating it if necessary. */
export function signalOf({ signal }: Pick<ExchangeContext, "signal">): AbortSignal {
  return "signal" in signal ? signal.signal : signal;
}
