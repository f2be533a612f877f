/**
 * Options for the transport over HTTP.
 *
 * @module
 */

import { DEFAULT_MAX_BYTES } from "../shared/json_parse.ts";
import {
  assertCount,
  assertFunction,
  assertNonNegative,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import {
  type OptionsReader,
  optionsReader,
  required,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { DEFAULT_MAX_QUEUED_BYTES } from "./message_codec.ts";

/** Options for `httpEndpoint`. */
export interface HttpEndpointOptions {
  /**
   * Returns the `http` or `https` URL for messages to a DID, or `undefined` if the agent has no
   * URL. `urlOf` decides which servers this agent connects to, so return URLs from a fixed list: a
   * URL that a message or a DID document contains can refer to a server on your own network. With
   * `replyWaitMs`, `urlOf` is also called with the DIDs of unverified senders.
   */
  readonly urlOf: (did: string) => URL | undefined | Promise<URL | undefined>;
  /** Sends HTTP requests. If omitted, the global `fetch` is used. Redirects are not followed. */
  readonly fetch?: typeof fetch;
  /**
   * Time to hold the response to a POST request open for replies to the request's message, in
   * milliseconds. Only responses to senders without a URL are held open. A value of 0 disables
   * replies in HTTP responses.
   *
   * @default {0}
   */
  readonly replyWaitMs?: number;
  /**
   * Maximum size of a message in either direction, in bytes.
   *
   * @default {1_048_576}
   */
  readonly maxBodyBytes?: number;
  /**
   * Maximum number of received messages in the queue. `capacity` also applies separately to replies
   * that were received in responses, to messages that are being sent, and to responses that are
   * held open or being read. Eight times as many bodies of requests can be received at the same
   * time; above this limit, the oldest request fails with status 503. Messages from one sender,
   * messages to one recipient, and responses of one recipient use at most half of `capacity`.
   * Responses that are held open for one sender use at most a tenth, and so do the calls of `urlOf`
   * with the DID of one sender. All did:web senders with the same domain count as one sender, and
   * so do all senders of another method whose keys must be fetched.
   *
   * @default {1000}
   */
  readonly capacity?: number;
  /**
   * Maximum total size of received messages in the queue, in bytes. `maxQueuedBytes` also applies
   * separately to replies that were received in responses, to messages that are being sent, and to
   * the replies that are buffered for one recipient because it does not read its responses; eight
   * times as many bytes are buffered for all recipients, and for the bodies of requests that are
   * being received. Messages from one sender or to one recipient use at most half of it.
   *
   * @default {8_388_608}
   */
  readonly maxQueuedBytes?: number;
  /**
   * Timeout for sending a message until the response status arrives, for receiving the body of a
   * request, and for finding the URL of its sender, in milliseconds.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
  /**
   * Maximum time to read replies from a response, in milliseconds.
   *
   * @default {600_000}
   */
  readonly replyTimeoutMs?: number;
  /**
   * Maximum size of a response that contains replies, in bytes, including all updates. Reading a
   * larger response ends, which is reported to `onError`. Reading also ends after the last reply to
   * the message, after 10 lines that are not replies to the message, and when a peer's request has
   * ended.
   *
   * @default {67_108_864}
   */
  readonly maxResponseBytes?: number;
  /**
   * Called with errors that do not reject any call, such as an incomplete response. If omitted,
   * errors are printed to standard error, each distinct error once and at most 20 errors per
   * minute.
   */
  readonly onError?: (error: unknown) => void;
}

/** Limits of an endpoint, with default values filled in. */
export type HttpLimits = Pick<
  HttpEndpointSettings,
  | "replyWaitMs"
  | "maxBodyBytes"
  | "maxResponseBytes"
  | "capacity"
  | "maxQueuedBytes"
  | "timeoutMs"
  | "replyTimeoutMs"
>;

/** Options of an endpoint, with default values filled in. */
export type HttpEndpointSettings = Settings<HttpEndpointOptions, OptionWithDefault>;

type OptionWithDefault = Exclude<keyof HttpEndpointOptions, "urlOf" | "fetch" | "onError">;

/** Validates the options and fills in default values. */
export const readOptions: OptionsReader<HttpEndpointOptions, OptionWithDefault> = optionsReader<
  HttpEndpointOptions
>("options")({
  urlOf: required(assertFunction),
  fetch: assertFunction,
  replyWaitMs: withDefault(0, assertNonNegative),
  maxBodyBytes: withDefault(DEFAULT_MAX_BYTES, assertCount),
  maxResponseBytes: withDefault(67_108_864, assertCount),
  capacity: withDefault(1000, assertCount),
  maxQueuedBytes: withDefault(DEFAULT_MAX_QUEUED_BYTES, assertCount),
  timeoutMs: withDefault(30_000, assertPositiveNumber),
  replyTimeoutMs: withDefault(600_000, assertPositiveNumber),
  onError: assertFunction,
});
