/**
 * Relays one request: parameters, `_meta`, progress, log messages, cancellation and input requests.
 *
 * @module
 */

import type { InputHandlers } from "../client/input_handlers.ts";
import type { RelayOptions } from "../client/request_options.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { RpcNotification } from "../jsonrpc/message.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import { type InputRequest, isInputRequest, missingCapability } from "../protocol/input_request.ts";
import { isLogLevel } from "../protocol/logging.ts";
import { MetaKey } from "../protocol/meta.ts";
import { Method, NotificationMethod } from "../protocol/methods.ts";
import { findRevision } from "../protocol/revisions.ts";
import { declares } from "../server/extension.ts";
import { invalidParams } from "../server/params.ts";
import type { MethodContext } from "../server/request_context.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { abortable } from "@parley/internal/abortable";
import { isRecord } from "@parley/internal/json";
import { TASKS_EXTENSION } from "../tasks/task.ts";
import type { GatewaySettings } from "./options.ts";
import { ownResult, toCallerError } from "./relayed_outcome.ts";
import type { UpstreamConnection } from "./upstream_connection.ts";

/** Maximum number of times that a server can request input for one request. */
const MAX_ROUNDS = 10;

/** Maximum number of input requests in one result. */
const MAX_INPUT_REQUESTS = 100;

/** A request to relay. */
export interface RelayedRequest {
  readonly method: string;
  /** Parameters, without `_meta`, `inputResponses` and `requestState`. */
  readonly params: JsonObject;
  /** Context of the caller's request. */
  readonly context: MethodContext;
  /**
   * Returns the error for the caller if the caller can no longer use the item. Called directly
   * before each time that the request is sent, because the request may have waited for its turn,
   * for a connection or for input.
   */
  readonly check: () => Promise<McpError | undefined>;
}

/** The input that a server has requested, saved between the caller's requests. */
interface Round {
  /** Key of the server that has requested the input. */
  readonly server: string;
  /** `requestState` that the server returned with its input requests. */
  readonly requestState?: unknown;
  /** Input requests, keyed by the key that the caller sees. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>;
  /** Maps each key that the caller sees to the server's own key. */
  readonly keys: Readonly<Record<string, string>>;
  /** Number of times that the server has requested input so far. */
  readonly count: number;
  /** Time for which the gateway has waited for the server so far, in milliseconds. */
  readonly spentMs: number;
}

/**
 * Sends a request to a server on behalf of the caller and returns the result. If a modern server
 * requests input, the caller receives the input requests: as the result of its request in the
 * modern era, otherwise as server requests. The gateway waits for the server at most `maxTotalMs`,
 * no matter how often the server requests input.
 *
 * @throws {McpError} With code `protocol_error` and an `rpcCode` if the server returns an error or
 * does not respond.
 */
export async function relayRequest(
  connection: UpstreamConnection,
  request: RelayedRequest,
  settings: GatewaySettings,
): Promise<JsonObject> {
  const { context } = request;
  let round = readRound(context.savedState);
  // Between two requests from the caller, a different server may start to offer an item with the
  // same name or URI.
  if (round !== undefined && round.server !== connection.key) {
    throw invalidParams(
      "The server that has requested input no longer offers the item; send the request without " +
        '"requestState" and "inputResponses"',
    );
  }
  for (;;) {
    const input = round === undefined ? {} : await askCaller(round, context);
    const params = { ...request.params, ...input };
    const startedAt = Date.now();
    const spentMs = round?.spentMs ?? 0;
    const result = await send(connection, { ...request, params }, settings, spentMs);
    if (result.resultType !== "input_required") return result;
    const waitedMs = Math.max(Date.now() - startedAt, 0);
    round = { ...nextRound(result, round, connection.key), spentMs: spentMs + waitedMs };
    context.saveState(round);
  }
}

/** Returns the caller's input responses, with the server's keys and state. */
async function askCaller(
  { inputRequests, keys, requestState }: Round,
  context: MethodContext,
): Promise<JsonObject> {
  const state = requestState === undefined ? {} : { requestState };
  if (Object.keys(inputRequests).length === 0) return state;
  const responses = Object.entries(await context.askAll(inputRequests));
  const own = responses.map(([key, response]) => [keys[key] ?? key, response]);
  return { inputResponses: Object.fromEntries(own), ...state };
}

/**
 * Reads the input requests in a result. A key that the server has used before is renamed, because
 * the caller's earlier response with this key remains valid for the whole request.
 */
function nextRound(
  { inputRequests = {}, requestState }: JsonObject,
  last: Round | undefined,
  server: string,
): Omit<Round, "spentMs"> {
  const count = (last?.count ?? 0) + 1;
  const invalid = (reason: string): McpError =>
    McpError.protocolError(`The server "${server}" ${reason}`, {
      rpcCode: RpcErrorCode.InternalError,
    });
  if (count > MAX_ROUNDS) throw invalid(`requested input more than ${MAX_ROUNDS} times`);
  if (!isRecord(inputRequests)) throw invalid("sent input requests that are not an object");
  const entries = Object.entries(inputRequests);
  if (entries.length > MAX_INPUT_REQUESTS) {
    throw invalid(`sent more than ${MAX_INPUT_REQUESTS} input requests at once`);
  }
  const keys = new Map(Object.entries(last?.keys ?? {}));
  const asked: [shown: string, request: InputRequest][] = [];
  for (const [key, request] of entries) {
    if (!isInputRequest(request)) throw invalid(`sent an invalid input request "${key}"`);
    let shown = key;
    for (let number = count; keys.has(shown); number++) shown = `${key}-${number}`;
    keys.set(shown, key);
    asked.push([shown, request]);
  }
  return {
    server,
    requestState,
    inputRequests: Object.fromEntries(asked),
    keys: Object.fromEntries(keys),
    count,
  };
}

/**
 * Reads the saved input requests. The input requests were encrypted by the gateway, so only the
 * gateway can have created them.
 */
function readRound(saved: unknown): Round | undefined {
  if (!isRecord(saved)) return undefined;
  const { server, requestState, inputRequests, keys, count, spentMs } = saved;
  if (typeof server !== "string" || !isRecord(inputRequests) || !isRecord(keys)) {
    return undefined;
  }
  const asked = Object.entries(inputRequests).filter((entry): entry is [string, InputRequest] =>
    isInputRequest(entry[1])
  );
  const own = Object.entries(keys).filter((entry): entry is [string, string] =>
    typeof entry[1] === "string"
  );
  return {
    server,
    requestState,
    inputRequests: Object.fromEntries(asked),
    keys: Object.fromEntries(own),
    count: typeof count === "number" ? count : MAX_ROUNDS,
    spentMs: typeof spentMs === "number" ? spentMs : Infinity,
  };
}

/**
 * Sends a request once and returns the server's result, without the members that belong to the
 * connection.
 */
async function send(
  connection: UpstreamConnection,
  { method, params, context, check }: RelayedRequest,
  settings: GatewaySettings,
  spentMs: number,
): Promise<JsonObject> {
  const { signal } = context;
  const startedAt = Date.now();
  // A server that does not connect must not keep the request of a caller that has left in flight.
  const untilAborted = <T>(work: Promise<T>): Promise<T> => abortable(work, signal);
  const relay = async (): Promise<JsonObject | McpError> => {
    const client = await untilAborted(connection.client());
    await untilAborted(connection.wantLogs(client, context.client.logLevel));
    const whole = relayOptions(connection, context, settings);
    const options = { ...whole, ...limitsAfter(spentMs, settings) };
    const refusal = await untilAborted(check());
    if (refusal !== undefined) return refusal;
    try {
      return await client.relay(method, params, options);
    } catch (error) {
      if (!isMismatch(error)) throw error;
      connection.invalidate();
      const refusal = await untilAborted(check());
      if (refusal !== undefined) return refusal;
      const waitedMs = Date.now() - startedAt;
      return await client.relay(method, params, {
        ...options,
        ...limitsAfter(spentMs + waitedMs, settings),
      });
    }
  };
  try {
    const result = await connection.relay({ principal: context.principal, signal }, relay);
    if (result instanceof McpError) throw result;
    return ownResult(result, { method, hasTasks: supportsTasks(context.client) });
  } catch (error) {
    context.signal.throwIfAborted();
    throw toCallerError(error, method, connection.key, settings);
  }
}

/** Returns the limits of a request after the gateway has waited for the server for some time. */
function limitsAfter(
  spentMs: number,
  { maxTotalMs }: GatewaySettings,
): Required<Pick<RelayOptions, "maxTotalMs" | "maxInputMs">> {
  return {
    maxTotalMs: maxTotalMs === Infinity ? Infinity : Math.max(maxTotalMs - spentMs, 1),
    maxInputMs: maxTotalMs,
  };
}

/**
 * Returns `true` if the server has rejected the tool parameter headers of a call without executing
 * it, because its tools have changed since they were listed.
 */
function isMismatch(error: unknown): boolean {
  return error instanceof McpError && error.rpcCode === RpcErrorCode.HeaderMismatch &&
    error.httpStatus === 400;
}

function relayOptions(
  connection: UpstreamConnection,
  context: MethodContext,
  { timeoutMs, onError }: GatewaySettings,
): RelayOptions {
  const { client: { logLevel }, meta, signal } = context;
  const capabilities = relayedCapabilities(connection, context);
  return {
    signal,
    timeoutMs,
    meta: ownMeta(meta),
    client: { capabilities, ...(logLevel === undefined ? {} : { logLevel }) },
    handlers: connection.era === "legacy" ? legacyHandlers(connection.key, context) : {},
    onNotification: (notification) => logTo(context, notification)?.catch(onError),
    ...(meta[MetaKey.ProgressToken] === undefined ? {} : {
      onProgress: ({ progress, ...options }) => context.progress(progress, options),
    }),
  };
}

/** Returns the caller's capabilities that the gateway declares to the server. */
export function relayedCapabilities(
  { capabilities: offered }: UpstreamConnection,
  { client }: Pick<MethodContext, "client">,
): ClientCapabilities {
  const { elicitation, sampling, roots } = client.capabilities;
  const hasTasks = supportsTasks(client) && isRecord(offered?.extensions?.[TASKS_EXTENSION]);
  return {
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(sampling === undefined ? {} : { sampling }),
    ...(roots === undefined ? {} : { roots: {} }),
    ...(hasTasks ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
  };
}

/**
 * Returns the `_meta` members that the caller has added. Omits the protocol's own members, which
 * describe the caller's connection.
 */
function ownMeta(meta: Readonly<JsonObject>): JsonObject {
  const own = Object.entries(meta).filter(([key]) =>
    key !== MetaKey.ProgressToken && !key.startsWith("io.modelcontextprotocol/")
  );
  return Object.fromEntries(own);
}

function logTo(context: MethodContext, notification: RpcNotification): Promise<void> | undefined {
  const { method, params } = notification;
  if (method !== NotificationMethod.Message || !isLogLevel(params?.level)) return undefined;
  const { level, data, logger } = params;
  return context.log(level, data, typeof logger === "string" ? logger : undefined);
}

/** Handlers that pass server requests from a legacy server to a legacy caller. */
function legacyHandlers(server: string, context: MethodContext): InputHandlers {
  let asked = 0;
  const assertCanAsk = (request: InputRequest): void => {
    if (isModern(context.client)) {
      const reason =
        `The gateway cannot forward "${request.method}" from the server "${server}", whose protocol version is a legacy ` +
        "version, because the caller's protocol version does not support server requests";
      throw McpError.protocolError(reason, { rpcCode: RpcErrorCode.InternalError });
    }
    // Throw here, because the server receives this error as the response to its request. An error
    // from `context.ask` would also cause the caller's request to fail.
    if (missingCapability(request, context.client.capabilities) !== undefined) {
      const reason = `The caller does not support "${request.method}"`;
      throw McpError.protocolError(reason, { rpcCode: RpcErrorCode.MethodNotFound });
    }
  };
  const ask: MethodContext["ask"] = (key, request) => {
    assertCanAsk(request);
    return context.ask(`${key}-${++asked}`, request);
  };
  return {
    elicit: async (params) => await ask("elicit", { method: Method.Elicit, params }),
    elicitUrl: async (params) => await ask("elicit", { method: Method.Elicit, params }),
    createMessage: async (params) =>
      await ask("createMessage", { method: Method.CreateMessage, params }),
    listRoots: async () => (await ask("listRoots", { method: Method.ListRoots })).roots,
  };
}

function supportsTasks(client: MethodContext["client"]): boolean {
  return isModern(client) && declares(client, TASKS_EXTENSION);
}

function isModern({ protocolVersion }: MethodContext["client"]): boolean {
  return findRevision(protocolVersion)?.era === "modern";
}
