/**
 * The circumstances of one request: who asks, until when, and how to ask back.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { InputRequest } from "../protocol/input_request.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import type { RpcNotification, RpcRequest } from "../jsonrpc/message.ts";

/** Who a request was authenticated as. */
export interface Principal {
  /** Tells principals apart: the `sub` of a token, a user name. */
  readonly subject: string;
  /** What it may do. */
  readonly scopes?: readonly string[];
}

/** Passes a message on to the client; resolves once it is on its way, with `false` when nobody takes it. */
export type Emit = (message: RpcNotification | RpcRequest) => Promise<boolean>;

/** Sends a question to the client and waits for what it answers: only a session can. */
export type SendInputRequest = (
  question: InputRequest,
  signal: AbortSignal,
  emit: Emit,
) => Promise<JsonObject>;

/** An abort signal that need not be there before somebody looks at it. */
export interface SignalSource {
  /** Whether it has aborted. */
  readonly aborted: boolean;
  /** The signal itself. */
  readonly signal: AbortSignal;
  /**
   * Stops what is not wanted any more.
   *
   * @throws whatever the reason is
   */
  throwIfAborted(): void;
}

/** The circumstances of one request. */
export interface ExchangeContext {
  /** The client. */
  readonly client: ClientDescription;
  /** Aborts when the answer is not wanted any more. */
  readonly signal: AbortSignal | SignalSource;
  /** Takes what belongs to the request and comes before its answer. Without it, notifications are dropped. */
  readonly emit?: Emit;
  /** Hears that the answer is not there at once, as most are. */
  readonly onDelay?: () => void;
  /** Asks the client in the middle of the request. Without it, a question ends the request with `input_required`. */
  readonly ask?: SendInputRequest;
  /** Who the request was authenticated as. */
  readonly principal?: Principal;
  /** Ends the stream that the client reads, but not the request: the client comes back for the rest. */
  readonly closeStream?: () => void;
}

/** The signal of a request, for those who cannot do with less. */
export function signalOf({ signal }: ExchangeContext): AbortSignal {
  return "signal" in signal ? signal.signal : signal;
}
