/**
 * The JSON-RPC binding.
 *
 * @see
 * {@link https://a2a-protocol.org/latest/specification/#9-json-rpc-protocol-binding JSON-RPC protocol binding}
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { InvalidMember, type ProtoObject, toProtoObject } from "@parley/internal/proto-json";
import type { ServedContext } from "../serve/contracts.ts";
import { A2aError, toErrorDetails } from "./errors.ts";
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
import { callOperation } from "./operations.ts";
import type { A2aService } from "./service.ts";
import { streamResponse } from "./stream_response.ts";

/** Id of a request. `null` if the request has no valid id. */
type RpcId = string | number | null;

/** Handles a JSON-RPC request. */
export async function handleRpc(
  service: A2aService,
  request: Request,
  context: ServedContext,
): Promise<Response> {
  if (request.method !== "POST") {
    return new Response(null, { status: 405, headers: { allow: "POST" } });
  }
  let id: RpcId = null;
  try {
    if (!isJson(request)) throw new A2aError("CONTENT_TYPE_NOT_SUPPORTED");
    const body = await readJsonBody(request, service.maxBodyBytes);
    id = readId(body);
    const call = readCall(body);
    assertVersion(request);
    const caller = readCaller(context);
    const activated = readActivated(service, request);
    const outcome = await callOperation(service, { request, caller, activated }, call);
    const wrap = (result: unknown): object => ({ jsonrpc: "2.0", id, result });
    if ("json" in outcome) return toJsonResponse(wrap(outcome.json), activated);
    const wrapError = (error: unknown): object => toErrorBody(id, toA2aError(service, error));
    return streamResponse(service, { outcome, headers: toHeaders(activated), wrap, wrapError });
  } catch (error) {
    return toErrorResponse(id, toA2aError(service, error));
  }
}

function readId(body: unknown): RpcId {
  const id = isRecord(body) ? body.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function readCall(body: unknown): { readonly method: string; readonly params: ProtoObject } {
  if (!isRecord(body) || body.jsonrpc !== "2.0" || readId(body) === null) {
    throw new A2aError("INVALID_REQUEST");
  }
  const { method, params = {} } = body;
  if (typeof method !== "string") throw new A2aError("INVALID_REQUEST");
  if (!isRecord(params)) throw new InvalidMember("params", "an object");
  return { method, params: toProtoObject(params) };
}

function toErrorBody(id: RpcId, error: A2aError): object {
  const { code, message } = error;
  const data = toErrorDetails(error);
  return { jsonrpc: "2.0", id, error: { code, message, ...data.length > 0 && { data } } };
}

/** Errors whose HTTP status is not 200, so that clients and proxies can react to them. */
const OWN_STATUS: ReadonlySet<number> = new Set([401, 413, 429]);

function toErrorResponse(id: RpcId, error: A2aError): Response {
  const { status } = error;
  const init = OWN_STATUS.has(status) ? { status, headers: toErrorHeaders(error) } : {};
  return Response.json(toErrorBody(id, error), init);
}

/** Returns the headers of the response to an error. */
export function toErrorHeaders({ status }: A2aError): Readonly<Record<string, string>> {
  return status === 401 ? { "www-authenticate": "Bearer" } : {};
}
