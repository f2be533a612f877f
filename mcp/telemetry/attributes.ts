/**
 * Names of spans, attributes and metrics, and the conversion of requests and their outcomes to
 * attributes.
 *
 * The names and values follow the OpenTelemetry semantic conventions for the Model Context
 * Protocol, commit 0e5e6a8d59d38c9c19556a5164a83cc11a7d53ff.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 * @module
 */

import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import type { RequestDescription } from "../protocol/around_request.ts";
import { Method } from "../protocol/methods.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { TelemetryAttributes, TelemetryHistogramOptions } from "./options.ts";
import { truncate } from "@parley/internal/escape-text";

/** Side of a request: client or server. */
export type Side = RequestDescription["side"];

/** OpenTelemetry's `SpanKind`, keyed by side. */
export const SPAN_KINDS: Readonly<Record<Side, number>> = { server: 1, client: 2 };

/** OpenTelemetry's `SpanStatusCode.ERROR`. */
export const STATUS_ERROR = 2;

/** Names of the histograms for the client and for the server. */
export const HISTOGRAM_NAMES: Readonly<Record<Side, string>> = {
  client: "mcp.client.operation.duration",
  server: "mcp.server.operation.duration",
};

/**
 * Options for the histograms of clients and of servers. The OpenTelemetry conventions specify the
 * bucket boundaries.
 */
export const HISTOGRAMS: Readonly<Record<Side, TelemetryHistogramOptions>> = {
  client: durations("Duration of an MCP request, as observed by the client"),
  server: durations("Duration of an MCP request, as observed by the server"),
};

function durations(description: string): TelemetryHistogramOptions {
  const explicitBucketBoundaries = [
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1,
    2,
    5,
    10,
    30,
    60,
    120,
    300,
  ];
  return { unit: "s", description, advice: { explicitBucketBoundaries } };
}

/**
 * Codes of errors that the client is responsible for. A server span whose error the client has
 * caused is not marked as an error, as for HTTP status codes 400 to 499.
 */
const CLIENT_FAULTS: ReadonlySet<number> = new Set([
  RpcErrorCode.ParseError,
  RpcErrorCode.InvalidRequest,
  RpcErrorCode.MethodNotFound,
  RpcErrorCode.InvalidParams,
  RpcErrorCode.ResourceNotFoundBefore2026,
]);

/** Methods whose parameters contain a URI. */
const RESOURCE_METHODS: ReadonlySet<string> = new Set([
  Method.ReadResource,
  Method.Subscribe,
  Method.Unsubscribe,
]);

/**
 * Maximum length of the name of a tool or prompt in UTF-16 code units, because clients can send any
 * name.
 */
const MAX_NAME_LENGTH = 256;

/** Maximum number of recorded arguments of a prompt, because each argument is an attribute. */
const MAX_PROMPT_VARIABLES = 32;

/** A request as a span: its name and its attributes. */
export interface SpanDescription {
  /** Name of the span. */
  readonly name: string;
  /** Attributes of the span. */
  readonly attributes: TelemetryAttributes;
  /** Name of the tool or prompt, as an attribute of the span and of the measurement. */
  readonly target: TelemetryAttributes;
  /** Attributes of the measurement, without the name of the tool or prompt. */
  readonly dimensions: TelemetryAttributes;
}

/** Describes a request's span. */
export function describeRequest(
  { method, protocolVersion, target = "", transport, id }: RequestDescription,
  maxContentLength: number,
): SpanDescription {
  const name = truncate(target, MAX_NAME_LENGTH);
  const named: TelemetryAttributes = method === Method.CallTool
    ? { "gen_ai.tool.name": name }
    : method === Method.GetPrompt
    ? { "gen_ai.prompt.name": name }
    : {};
  const dimensions: TelemetryAttributes = {
    "mcp.method.name": method,
    "mcp.protocol.version": protocolVersion,
    ...(method === Method.CallTool ? { "gen_ai.operation.name": "execute_tool" } : {}),
    ...(transport === "http"
      ? { "network.transport": "tcp", "network.protocol.name": "http" }
      : { "network.transport": "pipe" }),
  };
  const uri = RESOURCE_METHODS.has(method)
    ? { "mcp.resource.uri": truncate(target, maxContentLength) }
    : {};
  const requestId = id === undefined || id === null ? {} : { "jsonrpc.request.id": String(id) };
  return {
    name: name !== "" && Object.keys(named).length > 0 ? `${method} ${name}` : method,
    attributes: { ...dimensions, ...named, ...uri, ...requestId },
    target: named,
    dimensions,
  };
}

/** Outcome of a request. */
export interface Outcome {
  /** Attributes of the span and of the measurement: `error.type` and `rpc.response.status_code`. */
  readonly attributes: TelemetryAttributes;
  /** Whether the request has failed. */
  readonly isError: boolean;
  /** Error message. */
  readonly message: string | undefined;
  /** Whether the server rejected the request, so the named tool or prompt might not exist. */
  readonly isClientFault: boolean;
}

/** Describes the outcome of a request that has a result. */
export function describeResult(method: string, result: JsonObject): Outcome {
  const isError = method === Method.CallTool && result.isError === true;
  const attributes = isError ? { "error.type": "tool_error" } : {};
  return { attributes, isError, message: undefined, isClientFault: false };
}

/** Describes the outcome of a request that has failed. */
export function describeError(side: Side, error: unknown): Outcome {
  const code = error instanceof McpError ? error.rpcCode : undefined;
  const isClientFault = code !== undefined && CLIENT_FAULTS.has(code);
  const isError = side === "client" || !isClientFault;
  return {
    attributes: {
      ...(code === undefined ? {} : { "rpc.response.status_code": String(code) }),
      ...(isError ? { "error.type": errorTypeOf(error) } : {}),
    },
    isError,
    message: messageOf(error),
    isClientFault,
  };
}

function errorTypeOf(error: unknown): string {
  if (error instanceof McpError) return String(error.rpcCode ?? error.code);
  return error instanceof Error ? error.name : "_OTHER";
}

/**
 * Returns the message of the JSON-RPC error, or, if there is none, the message of the thrown error.
 */
function messageOf(error: unknown): string | undefined {
  if (error instanceof McpError && "reason" in error.details) return error.details.reason;
  return error instanceof Error ? error.message : undefined;
}

/** Returns a request's content: the arguments for a tool or a prompt. */
export function requestContent({ method, params }: RequestDescription): JsonObject {
  if (method === Method.CallTool) return { "gen_ai.tool.call.arguments": params.arguments };
  if (method !== Method.GetPrompt || !isRecord(params.arguments)) return {};
  const variables = Object.entries(params.arguments).slice(0, MAX_PROMPT_VARIABLES);
  return Object.fromEntries(
    variables.map(([name, value]) => [
      `gen_ai.prompt.variable.${truncate(name, MAX_NAME_LENGTH)}`,
      value,
    ]),
  );
}

/** Returns a result's content: the tool's structured content, or else its content blocks. */
export function resultContent(method: string, result: JsonObject): JsonObject {
  if (method !== Method.CallTool) return {};
  const { structuredContent, content } = result;
  const blocks = Array.isArray(content) ? content.map(withoutBytes) : undefined;
  return { "gen_ai.tool.call.result": structuredContent ?? blocks };
}

/**
 * Removes image, audio and binary resource data, because traces should not contain file contents.
 */
function withoutBytes(block: unknown): unknown {
  if (!isRecord(block)) return block;
  const { data: _data, resource, ...rest } = block;
  if (!isRecord(resource)) return rest;
  const { blob: _blob, ...described } = resource;
  return { ...rest, resource: described };
}

/** Serializes content as span attributes. Never throws. */
export function toContentAttributes(
  content: JsonObject,
  maxContentLength: number,
): TelemetryAttributes {
  const attributes: TelemetryAttributes = {};
  for (const [name, value] of Object.entries(content)) {
    if (value !== undefined) attributes[name] = truncate(toContentText(value), maxContentLength);
  }
  return attributes;
}

function toContentText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    // If arguments cannot be serialized, the request rejects with its own error, so no error is
    // reported here.
    return `not serializable: ${error instanceof Error ? error.message : String(error)}`;
  }
}
