/**
 * The HTTP+JSON binding.
 *
 * @see
 * {@link https://a2a-protocol.org/latest/specification/#11-httpjsonrest-protocol-binding HTTP+JSON protocol binding}
 * @module
 */

import { InvalidMember, toProtoObject } from "@parley/internal/proto-json";
import type { UnknownRecord } from "@parley/internal/json";
import type { ServedContext } from "../serve/contracts.ts";
import { A2aError, canonicalStatusOf, toErrorDetails } from "./errors.ts";
import {
  assertVersion,
  isJson,
  readActivated,
  readCaller,
  readJsonBody,
  toA2aError,
  toHeaders,
  toJsonResponse,
} from "./exchange.ts";
import { toErrorHeaders } from "./json_rpc_binding.ts";
import { callOperation } from "./operations.ts";
import type { A2aService } from "./service.ts";
import { streamResponse } from "./stream_response.ts";

/** An HTTP method and a path, with the operation and the names of the parameters in the path. */
type Route = readonly ["GET" | "POST" | "DELETE", RegExp, string, ...(readonly string[])];

const ROUTES: readonly Route[] = [
  ["POST", /^message:send$/, "SendMessage"],
  ["POST", /^message:stream$/, "SendStreamingMessage"],
  ["GET", /^tasks$/, "ListTasks"],
  ["GET", /^extendedAgentCard$/, "GetExtendedAgentCard"],
  ["POST", /^tasks\/([^/]+):cancel$/, "CancelTask", "id"],
  ["GET", /^tasks\/([^/]+):subscribe$/, "SubscribeToTask", "id"],
  ["POST", /^tasks\/([^/]+):subscribe$/, "SubscribeToTask", "id"],
  [
    "POST",
    /^tasks\/([^/]+)\/pushNotificationConfigs$/,
    "CreateTaskPushNotificationConfig",
    "taskId",
  ],
  [
    "GET",
    /^tasks\/([^/]+)\/pushNotificationConfigs$/,
    "ListTaskPushNotificationConfigs",
    "taskId",
  ],
  [
    "GET",
    /^tasks\/([^/]+)\/pushNotificationConfigs\/([^/]+)$/,
    "GetTaskPushNotificationConfig",
    "taskId",
    "id",
  ],
  [
    "DELETE",
    /^tasks\/([^/]+)\/pushNotificationConfigs\/([^/]+)$/,
    "DeleteTaskPushNotificationConfig",
    "taskId",
    "id",
  ],
  ["GET", /^tasks\/([^/]+)$/, "GetTask", "id"],
];

/**
 * Returns the path of an HTTP+JSON operation, without the path of the endpoint. `undefined` for
 * other paths, at which the endpoint receives JSON-RPC.
 */
export function httpPathOf(pathname: string): string | undefined {
  return /\/(message:send|message:stream|extendedAgentCard|tasks(?:\/.*)?)$/.exec(pathname)?.[1];
}

/** Handles a request of the HTTP+JSON binding. */
export async function handleHttp(
  service: A2aService,
  request: Request,
  { context, path }: { readonly context: ServedContext; readonly path: string },
): Promise<Response> {
  try {
    const { method, parameters } = findOperation(request.method, path);
    assertVersion(request);
    const caller = readCaller(context);
    const activated = readActivated(service, request);
    const given = request.method === "GET"
      ? Object.fromEntries(new URL(request.url).searchParams)
      : await readBody(service, request);
    const call = { method, params: toProtoObject({ ...given, ...parameters }) };
    const outcome = await callOperation(service, { request, caller, activated }, call);
    if ("json" in outcome) return toJsonResponse(outcome.json, activated);
    const wrapError = (error: unknown): object => toErrorBody(toA2aError(service, error));
    return streamResponse(service, {
      outcome,
      headers: toHeaders(activated),
      wrap: (update) => update,
      wrapError,
    });
  } catch (error) {
    const failure = toA2aError(service, error);
    const { status } = failure;
    return Response.json(toErrorBody(failure), { status, headers: toErrorHeaders(failure) });
  }
}

interface Operation {
  readonly method: string;
  /** Parameters in the path. */
  readonly parameters: Readonly<Record<string, string>>;
}

function findOperation(httpMethod: string, path: string): Operation {
  for (const [verb, pattern, method, ...names] of ROUTES) {
    const values = verb === httpMethod ? pattern.exec(path)?.slice(1) : undefined;
    if (values === undefined) continue;
    const entries = names.map((name, index) => [name, decode(name, values[index] ?? "")] as const);
    return { method, parameters: Object.fromEntries(entries) };
  }
  throw new A2aError("METHOD_NOT_FOUND");
}

function decode(name: string, segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new InvalidMember(name, "percent-encoded UTF-8");
  }
}

/**
 * Reads the body of a request, which an operation without parameters does not have. A page of
 * another site can send a request without a content type, or with the type of a form, with the
 * cookies of a user.
 */
async function readBody(service: A2aService, request: Request): Promise<UnknownRecord> {
  const { headers } = request;
  const isForeign = headers.has("content-type") || headers.get("sec-fetch-site") === "cross-site";
  if (!isJson(request) && isForeign) throw new A2aError("CONTENT_TYPE_NOT_SUPPORTED");
  const body = await readJsonBody(request, service.maxBodyBytes) ?? {};
  return toProtoObject(body, "body").record;
}

function toErrorBody(error: A2aError): object {
  const { message, status } = error;
  const details = toErrorDetails(error);
  return { error: { code: status, status: canonicalStatusOf(error), message, details } };
}
