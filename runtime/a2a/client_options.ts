/**
 * Options of the client.
 *
 * @module
 */

import {
  assertDate,
  assertFunction,
  assertNonEmptyString,
  assertObject,
  assertOptionalBoolean,
  assertOptionalSignal,
  assertString,
  assertStrings,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { arrayOf, int32From, integerFrom, oneOf, recordOf } from "@parley/internal/option-checks";
import { optionsReader, type Settings, withDefault } from "@parley/internal/options";
import { assertBaseUrl, type Fetch, type HeaderValues } from "../models/endpoint.ts";
import { isJsonValue, type JsonObject } from "../shared/json.ts";
import type { AgentCard, AgentCardSignature } from "./agent_card.ts";
import type { PushConfig } from "./push_config.ts";
import { TASK_STATES } from "./read_task.ts";
import type { A2aTaskState } from "./types.ts";

/** Options for an `A2aClient`. */
export interface A2aClientOptions {
  /**
   * Headers to add to each request, for example a token, or a function that returns the headers,
   * which is called for each request. If omitted, no headers are added.
   */
  readonly headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>);
  /**
   * Function that sends the requests, for example `authorizedFetch` from `@parley/mcp/auth`, which
   * adds credentials. Defaults to the global `fetch`.
   */
  readonly fetch?: Fetch;
  /**
   * Origins of endpoints that may receive requests, and the credentials in them. A client that has
   * read the card of the agent also trusts the origin of the card.
   *
   * @default {[]}
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * URIs of the extensions to activate in each request.
   *
   * @default {[]}
   */
  readonly extensions?: readonly string[];
  /**
   * Maximum size of a response, in bytes. In a stream, it limits each event.
   *
   * @default {4_194_304}
   */
  readonly maxResponseBytes?: number;
  /**
   * Signs each request that sends a message, for example with `signA2aRequest` from
   * `@parley/comm/a2a`. Receives the request and the card of the agent, and returns the request to
   * send. The extension must also be one of `extensions`. If omitted, requests are not signed.
   */
  readonly signRequest?: (
    request: JsonObject,
    context: { readonly card: AgentCard; readonly signal?: AbortSignal },
  ) => JsonObject | Promise<JsonObject>;
  /**
   * Timeout for a response, in milliseconds. In a stream, it limits the time until the next chunk.
   *
   * @default {60_000}
   */
  readonly timeoutMs?: number;
}

/** Options for `A2aClient.connect`. */
export interface A2aConnectOptions extends A2aClientOptions {
  /**
   * Checks the signatures of the card, for example with `verifyJson` from `@parley/comm/jws`, and
   * throws an error to reject the card. Receives the content that is signed, and the signatures. If
   * omitted, signatures are not checked.
   */
  readonly verifyCard?: (
    canonicalCard: JsonObject,
    signatures: readonly AgentCardSignature[],
  ) => void | Promise<void>;
  /**
   * Maximum size of the card, in bytes.
   *
   * @default {65_536}
   */
  readonly maxCardBytes?: number;
  /** Signal that aborts reading and checking the card. */
  readonly signal?: AbortSignal;
}

/** Options for each operation of an `A2aClient`. */
export interface A2aCallOptions {
  /** Signal that aborts the request. The task of the agent continues. */
  readonly signal?: AbortSignal;
  /** Timeout, in milliseconds. If omitted, the timeout of the client. */
  readonly timeoutMs?: number;
  /** URIs of extensions to activate, in addition to those of the client. */
  readonly extensions?: readonly string[];
}

/** Options for `A2aClient.getTask`. */
export interface A2aGetTaskOptions extends A2aCallOptions {
  /** Maximum number of messages in the history. `0` omits it. If omitted, all messages. */
  readonly historyLength?: number;
}

/** Options for `A2aClient.send` and `A2aClient.stream`. */
export interface A2aSendOptions extends A2aGetTaskOptions {
  /** Media types that the agent may use. */
  readonly acceptedOutputModes?: readonly string[];
  /**
   * Whether `send` returns a new task without waiting until it ends or needs input.
   *
   * @default {false}
   */
  readonly returnImmediately?: boolean;
  /** Receiver of the updates of the task. If omitted, the agent sends no push notifications. */
  readonly pushConfig?: PushReceiver;
  /** Data of extensions. */
  readonly metadata?: JsonObject;
}

/** The receiver of the updates of a task. The agent chooses an id if it is omitted. */
export type PushReceiver = Omit<PushConfig, "id" | "taskId"> & Partial<Pick<PushConfig, "id">>;

/** Options for `A2aClient.listTasks`. */
export interface A2aListTasksOptions extends A2aGetTaskOptions {
  /** Only tasks of this conversation. */
  readonly contextId?: string;
  /** Only tasks in this state. */
  readonly status?: A2aTaskState;
  /** Only tasks whose state has changed at this time or later. */
  readonly statusTimestampAfter?: Date;
  /** Maximum number of tasks: 1 to 100. If omitted, the agent decides. */
  readonly pageSize?: number;
  /** `nextPageToken` of the previous page. */
  readonly pageToken?: string;
  /**
   * Whether the tasks contain their artifacts.
   *
   * @default {false}
   */
  readonly includeArtifacts?: boolean;
}

const CLIENT_RULES = {
  headers: withDefault({}, assertHeaders),
  fetch: withDefault((url: string, init: RequestInit) => fetch(url, init), assertFunction),
  allowedOrigins: withDefault([], arrayOf("origins", assertBaseUrl)),
  extensions: withDefault([], arrayOf("URIs", assertExtension)),
  maxResponseBytes: withDefault(4_194_304, integerFrom(1)),
  signRequest: assertFunction,
  timeoutMs: withDefault(60_000, int32From(1)),
} as const;

/** Names of the options of a client that have a default. */
type ClientDefault = Exclude<keyof A2aClientOptions, "signRequest">;

/** Settings of a client. */
export type A2aClientSettings = Settings<A2aClientOptions, ClientDefault>;

/** Reads the options of a client. */
export const readClientOptions: (options: A2aClientOptions) => A2aClientSettings = optionsReader<
  A2aClientOptions
>("options")(CLIENT_RULES);

/** Settings of a client that reads the card of the agent. */
export type A2aConnectSettings = Settings<
  A2aConnectOptions,
  ClientDefault | "maxCardBytes"
>;

/** Reads the options of a client that reads the card of the agent. */
export const readConnectOptions: (options: A2aConnectOptions) => A2aConnectSettings = optionsReader<
  A2aConnectOptions
>("options")({
  ...CLIENT_RULES,
  verifyCard: assertFunction,
  maxCardBytes: withDefault(65_536, integerFrom(1)),
  signal: assertOptionalSignal,
});

const CALL_RULES = {
  signal: assertOptionalSignal,
  timeoutMs: int32From(1),
  extensions: withDefault([], arrayOf("URIs", assertExtension)),
} as const;

const TASK_RULES = { ...CALL_RULES, historyLength: integerFrom(0, 2 ** 31 - 1) } as const;

/** Options of an operation, whose list of extensions is not absent. */
export type CallSettings<Options extends A2aCallOptions> = Settings<Options, "extensions">;

/** Reads the options of an operation. */
export const readCallOptions: (options: A2aCallOptions) => CallSettings<A2aCallOptions> =
  optionsReader<A2aCallOptions>("options")(CALL_RULES);

/** Reads the options of an operation that returns a task. */
export const readGetTaskOptions: (options: A2aGetTaskOptions) => CallSettings<A2aGetTaskOptions> =
  optionsReader<A2aGetTaskOptions>("options")(TASK_RULES);

/** Reads the options of an operation that sends a message. */
export const readSendOptions: (options: A2aSendOptions) => CallSettings<A2aSendOptions> =
  optionsReader<A2aSendOptions>("options")({
    ...TASK_RULES,
    acceptedOutputModes: assertStrings,
    returnImmediately: assertOptionalBoolean,
    pushConfig: assertObject,
    metadata: (name, value) => {
      if (!isJsonValue(value) || typeof value !== "object" || value === null) {
        rejectArgument(name, "a JSON object", value);
      }
    },
  });

/** Reads the options of an operation that lists tasks. */
export const readListTasksOptions: (
  options: A2aListTasksOptions,
) => CallSettings<A2aListTasksOptions> = optionsReader<A2aListTasksOptions>("options")({
  ...TASK_RULES,
  contextId: assertNonEmptyString,
  status: oneOf(...TASK_STATES.slice(1)),
  statusTimestampAfter: assertDate,
  pageSize: integerFrom(1, 100),
  pageToken: assertNonEmptyString,
  includeArtifacts: assertOptionalBoolean,
});

function assertHeaders(name: string, value: unknown): void {
  if (typeof value !== "function") recordOf(assertString)(name, value);
}

/** A comma separates the URIs in the header. */
function assertExtension(name: string, value: unknown): void {
  if (typeof value === "string" && /^[\x21-\x2b\x2d-\x7e]+$/.test(value)) return;
  rejectArgument(name, "a URI without commas and spaces", value);
}
