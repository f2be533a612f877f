/**
 * Options for requests. A reader checks the options where a request enters the client, and the code
 * behind it receives complete settings. The options are destructured by hand, because every call
 * reads them.
 *
 * @module
 */

import {
  assertObject,
  assertOptionalFunction,
  assertOptionalSignal,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import { oneOf } from "@parley/internal/option-checks";
import { assertNames, namesOf, type Settings } from "@parley/internal/options";
import type { RpcNotification } from "../jsonrpc/message.ts";
import type { ClientDescription } from "../protocol/client_description.ts";
import { LOG_LEVELS } from "../protocol/logging.ts";
import { assertRequestMeta } from "../protocol/meta.ts";
import type { JsonObject } from "../shared/json.ts";
import { type InputHandlers, readHandlers } from "./input_handlers.ts";

/** Progress of a request. */
export interface ProgressUpdate {
  /** Current progress, which increases with each update. */
  readonly progress: number;
  /** Value of `progress` at completion, if known. */
  readonly total?: number;
  /** Progress message to show to the user. */
  readonly message?: string;
}

/** Options for a request. */
export interface RequestOptions {
  /** Signal that cancels the request. An aborted call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Timeout for the response to the request or its next notification, in milliseconds.
   *
   * @default {60_000}
   */
  readonly timeoutMs?: number;
  /**
   * Total timeout, regardless of progress, in milliseconds. While the client handles input
   * requests, the timeout is paused for at most `maxInputMs`. If a call requests several pages of a
   * list, the timeout applies to each page, and the sum of `maxTotalMs` and `maxInputMs` to all
   * pages.
   *
   * @default {600_000}
   */
  readonly maxTotalMs?: number;
  /**
   * Maximum total time for which input requests and logins pause the timeouts, in milliseconds. A
   * call whose input takes longer rejects with code `timeout`. No server can extend a call beyond
   * the sum of `maxTotalMs` and `maxInputMs`, even if the call is repeated or becomes a task. If
   * omitted, the value of `maxTotalMs`.
   */
  readonly maxInputMs?: number;
  /** Called with each progress notification. */
  readonly onProgress?: (update: ProgressUpdate) => void;
  /**
   * Members to add to the `_meta` object of the request, such as `traceparent` or
   * `example.com/tenant`. Keys must not be `progressToken` or start with
   * `io.modelcontextprotocol/`.
   */
  readonly meta?: JsonObject;
  /**
   * Handlers for the input that the server requests during this request, in place of the client's
   * handlers. In the modern era, the request declares the capabilities of its own handlers. In the
   * legacy era, a server's input request does not name the client request it belongs to, so these
   * handlers are used only while no other request is in flight. A request that was aborted or timed
   * out counts as in flight until its response arrives or the session is renewed.
   */
  readonly handlers?: InputHandlers;
}

/** Options for {@linkcode McpClient.relay}. */
export interface RelayOptions extends RequestOptions {
  /**
   * Client on whose behalf the request is sent. In the modern era, the request declares the
   * capabilities and the log level of that client. A legacy server knows only the capabilities that
   * the connection has declared.
   */
  readonly client: Pick<ClientDescription, "capabilities" | "logLevel">;
  /**
   * Called with each notification that belongs to the request, except progress notifications. Over
   * a pipe, log messages do not name a request, so they are passed to this function only while no
   * other relayed request is in flight. A request that was aborted or timed out counts as in flight
   * until its response arrives or the session is renewed. If omitted, notifications are passed to
   * the client's `onNotification`. Errors that the function throws or rejects with are passed to
   * the client's `onError`.
   */
  readonly onNotification?: (notification: RpcNotification) => void;
}

/** Options for {@linkcode McpClient.listen}. */
export interface ListenOptions extends RequestOptions {
  /**
   * Client on whose behalf the stream is opened, as for {@linkcode McpClient.relay}. If omitted,
   * the request declares the capabilities of this client.
   */
  readonly client?: RelayOptions["client"];
}

/** Default of `timeoutMs`. */
export const REQUEST_TIMEOUT_MS = 60_000;

/** Default of `maxTotalMs`. */
export const MAX_TOTAL_MS = 600_000;

/** Options for a request after reading. */
export type RequestSettings = Settings<
  RequestOptions,
  "timeoutMs" | "maxTotalMs" | "maxInputMs"
>;

/** Options for a request or a relayed request after reading. */
export interface SessionRequestSettings extends RequestSettings {
  readonly client?: RelayOptions["client"] | undefined;
  readonly onNotification?: RelayOptions["onNotification"] | undefined;
}

const SIGNAL_NAMES = namesOf<Pick<RequestOptions, "signal">>({ signal: true });

const REQUEST = {
  signal: true,
  timeoutMs: true,
  maxTotalMs: true,
  maxInputMs: true,
  onProgress: true,
  meta: true,
  handlers: true,
} as const;
const REQUEST_NAMES = namesOf<RequestOptions>(REQUEST);
const LISTEN_NAMES = namesOf<ListenOptions>({ ...REQUEST, client: true });
const RELAY_NAMES = namesOf<RelayOptions>({ ...REQUEST, client: true, onNotification: true });

/** Settings of a request without options. */
export const DEFAULT_REQUEST: RequestSettings = toSettings({});

/**
 * Reads the options for a request.
 *
 * @throws {TypeError} If a name is not an option, `signal` is not an `AbortSignal`, `onProgress` or
 * a handler is not a function, or `meta` contains a reserved key.
 * @throws {RangeError} If `timeoutMs`, `maxTotalMs` or `maxInputMs` is not a positive number.
 */
export function readRequest(options?: RequestOptions): RequestSettings {
  if (options === undefined) return DEFAULT_REQUEST;
  assertObject("options", options);
  assertNames("options", options, REQUEST_NAMES);
  return toSettings(options);
}

/** Reads the options for a relayed request. */
export function readRelay(options: RelayOptions): SessionRequestSettings {
  assertObject("options", options);
  assertNames("options", options, RELAY_NAMES);
  const { client, onNotification } = options;
  assertClient(client);
  assertOptionalFunction("onNotification", onNotification);
  return { ...toSettings(options), client, onNotification };
}

/** Reads the options for a subscription stream. */
export function readListen(options: ListenOptions = {}): SessionRequestSettings {
  assertObject("options", options);
  assertNames("options", options, LISTEN_NAMES);
  const { client } = options;
  if (client !== undefined) assertClient(client);
  return { ...toSettings(options), client };
}

/**
 * Returns the settings for a later request of a call that has already sent requests, for example to
 * repeat a request or to request the next page of a list. All requests of a call together end after
 * at most the sum of `maxTotalMs` and `maxInputMs`.
 *
 * @param startedAt Start of the call, in milliseconds since the epoch.
 */
export function continueCall<Own extends RequestSettings>(settings: Own, startedAt: number): Own {
  const { maxTotalMs, maxInputMs } = settings;
  const leftMs = Math.max(startedAt + maxTotalMs + maxInputMs - Date.now(), 1);
  if (leftMs === Infinity) return settings;
  const totalMs = Math.min(maxTotalMs, leftMs);
  const inputMs = Math.min(maxInputMs, Math.max(leftMs - totalMs, 1));
  return { ...settings, maxTotalMs: totalMs, maxInputMs: inputMs };
}

/** Reads options that contain only a signal. */
export function readSignal(options: Pick<RequestOptions, "signal">): AbortSignal | undefined {
  assertObject("options", options);
  assertNames("options", options, SIGNAL_NAMES);
  const { signal } = options;
  assertOptionalSignal("signal", signal);
  return signal;
}

function toSettings(
  {
    signal,
    timeoutMs = REQUEST_TIMEOUT_MS,
    maxTotalMs = MAX_TOTAL_MS,
    maxInputMs = maxTotalMs,
    onProgress,
    meta,
    handlers,
  }: RequestOptions,
): RequestSettings {
  assertPositiveNumber("timeoutMs", timeoutMs);
  assertPositiveNumber("maxTotalMs", maxTotalMs);
  assertPositiveNumber("maxInputMs", maxInputMs);
  assertOptionalFunction("onProgress", onProgress);
  assertOptionalSignal("signal", signal);
  assertRequestMeta(meta);
  return {
    signal,
    timeoutMs,
    maxTotalMs,
    maxInputMs,
    onProgress,
    meta,
    handlers: handlers === undefined ? undefined : readHandlers(handlers),
  };
}

const assertLogLevel = oneOf(...LOG_LEVELS);

/**
 * The client may have more members, because a program can pass the `client` of a request context.
 */
function assertClient(client: RelayOptions["client"]): void {
  assertObject("options.client", client);
  assertObject("options.client.capabilities", client.capabilities);
  const { logLevel } = client;
  if (logLevel !== undefined) assertLogLevel("options.client.logLevel", logLevel);
}
