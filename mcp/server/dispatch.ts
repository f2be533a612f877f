/**
 * From a request to its response: finds the method, runs it, and turns whatever happens into a result or an error.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isHandlerCode, RpcErrorCode } from "../jsonrpc/error_codes.ts";
import {
  failure,
  type McpErrorObject,
  type RpcRequest,
  type RpcResponse,
  success,
} from "../jsonrpc/message.ts";
import { isPending } from "../shared/then_or_now.ts";
import { settlesSynchronously } from "../shared/settles_synchronously.ts";
import { Method } from "../protocol/methods.ts";
import { type Call, signalOf } from "./exchange_context.ts";
import { type MethodContext, RequestScope } from "./request_context.ts";
import { copyable } from "./spreadable_context.ts";
import type { RequestState, RequestStateSeal, StateBinding } from "./request_state.ts";

/** Answers one method. What it throws becomes an error: an `McpError` with `rpcCode` as it says, anything else -32603. */
export type MethodHandler = (
  params: JsonObject,
  context: MethodContext,
) => Promise<JsonObject> | JsonObject;

/** Where a request is answered. */
export interface Dispatcher {
  /** Finds the handler of a method that is offered. */
  readonly find: (method: string) => MethodHandler | undefined;
  /** Keeps what the client carries from one round to the next. */
  readonly seal: () => Promise<RequestStateSeal>;
  /** How many notifications of one request may wait for the client. */
  readonly maxWaiting: number;
  /** Hears of failures that the client is told nothing about. */
  readonly onError: (error: unknown) => void;
}

/** The requests that may end with a question to the client. */
const MAY_ASK: ReadonlySet<string> = new Set([
  Method.CallTool,
  Method.ReadResource,
  Method.GetPrompt,
]);

const FIRST_ROUND: RequestState = { answers: {} };

/**
 * Answers a request.
 *
 * @throws whatever the signal's reason is, once the answer is not wanted any more
 */
export function respond(
  dispatcher: Dispatcher,
  request: RpcRequest,
  call: Call,
): Promise<RpcResponse> {
  try {
    // Not an async function, which makes much more garbage: most handlers have nothing to wait for.
    return Promise.resolve(begin({ dispatcher, request, call }));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** What it takes to answer a request. */
interface Answering {
  readonly dispatcher: Dispatcher;
  readonly request: RpcRequest;
  readonly call: Call;
}

function begin(answering: Answering): Promise<RpcResponse> | RpcResponse {
  const { dispatcher, request: { id, method, params = {} }, call } = answering;
  call.signal.throwIfAborted();
  const handler = dispatcher.find(method);
  if (handler === undefined) return failure(id, methodNotFound(method));
  if (isFirstRound(params)) return run(handler, answering, FIRST_ROUND);
  return resume(answering).then((state) => {
    call.signal.throwIfAborted();
    return run(handler, answering, state);
  }, (error) => {
    call.signal.throwIfAborted();
    return toFailure(answering, error);
  });
}

async function resume({ dispatcher, request, call }: Answering): Promise<RequestState> {
  const seal = await dispatcher.seal();
  return await seal.resume(bindingOf(request, call));
}

function run(
  handler: MethodHandler,
  answering: Answering,
  state: RequestState,
): Promise<RpcResponse> | RpcResponse {
  const { dispatcher, request, call } = answering;
  const scope = new RequestScope(request, call, state, dispatcher.maxWaiting);
  try {
    const work = handler(request.params ?? {}, copyable(scope));
    if (!isPending(work)) return conclude(answering, scope, () => success(request.id, work));
    return patiently(Promise.resolve(work), call).then(
      (result) => conclude(answering, scope, () => success(request.id, result)),
      (error) => conclude(answering, scope, () => toFailure(answering, error)),
    );
  } catch (error) {
    return conclude(answering, scope, () => toFailure(answering, error));
  }
}

/** The answer, unless something overrules it or nobody wants it any more. */
function conclude(
  answering: Answering,
  scope: RequestScope,
  answer: () => RpcResponse,
): Promise<RpcResponse> | RpcResponse {
  scope.end();
  answering.call.signal.throwIfAborted();
  if (!isOverruled(scope)) return answer();
  return overrule(answering, scope).catch((error) => toFailure(answering, error));
}

function toFailure({ dispatcher, request }: Answering, error: unknown): RpcResponse {
  return failure(request.id, toErrorObject(error, dispatcher.onError));
}

/** The error for a method that does not exist or is not offered. */
export function methodNotFound(method: string): McpErrorObject {
  return { code: RpcErrorCode.MethodNotFound, message: `Method not found: ${method}` };
}

/** What the wire says of something that was thrown. Only what its author meant for the client gets out. */
export function toErrorObject(
  error: unknown,
  onError: (error: unknown) => void,
): McpErrorObject {
  if (error instanceof McpError && error.rpcCode !== undefined && isHandlerCode(error.rpcCode)) {
    const { rpcCode: code, data } = error;
    const message = "reason" in error.details ? error.details.reason : error.message;
    return data === undefined ? { code, message } : { code, message, data };
  }
  onError(error);
  return { code: RpcErrorCode.InternalError, message: "Internal error" };
}

/** Whether it does not matter what the handler did: there is a refusal, or there are questions without an answer. */
function isOverruled({ refusal, wanted }: RequestScope): boolean {
  return refusal !== undefined || wanted !== undefined;
}

/** What overrules the handler. */
async function overrule(
  { dispatcher, request, call }: Answering,
  scope: RequestScope,
): Promise<RpcResponse> {
  const { refusal, wanted, requestId } = scope;
  const binding = bindingOf(request, call);
  if (refusal !== undefined) return failure(requestId, refusal);
  if (!MAY_ASK.has(binding.method)) {
    const message = `"${binding.method}" may not ask the client`;
    return failure(requestId, { code: RpcErrorCode.InternalError, message });
  }
  return success(requestId, {
    resultType: "input_required",
    inputRequests: wanted,
    requestState: await (await dispatcher.seal()).seal(scope.state, binding),
  });
}

/** What a state of this request is good for. */
function bindingOf({ method, params = {} }: RpcRequest, { principal }: Call): StateBinding {
  return { method, params, subject: principal?.subject };
}

function isFirstRound({ requestState, inputResponses }: JsonObject): boolean {
  return requestState === undefined && inputResponses === undefined;
}

/** Waits for a handler, but not longer than its result is wanted. */
async function patiently<T>(work: Promise<T>, call: Call): Promise<T> {
  if (await settlesSynchronously(work)) return await work;
  call.slow?.();
  const signal = signalOf(call);
  signal.throwIfAborted();
  let abort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
