/**
 * A tool that calls an operation of an HTTP API.
 *
 * @module
 */

import { type CallContext, callWithin } from "@parley/internal/call-within";
import { formatIssues, toInputCheck } from "@parley/internal/schema";
import { assertOptionalSignal, assertRecord } from "@parley/internal/assert-argument";
import { quote } from "@parley/internal/format-value";
import { asRecord, defined, isPlainJson } from "@parley/internal/json";
import type { CallToolResult, McpToolDescriptor, ToolAnnotations } from "../protocol/tool.ts";
import type { Principal } from "../server/exchange_context.ts";
import { jsonSchemaValidator } from "../server/json_schema.ts";
import type { SchemaCheck } from "../server/schema.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { addCredentials, type SignedRequest } from "./credentials.ts";
import type { DocumentOperation, OpenApiDocument } from "./document.ts";
import { InvalidArguments, UnsupportedOperation } from "./failures.ts";
import { createInputSchema } from "./input_schema.ts";
import type { OpenApiCall, OpenApiOperation, OpenApiSettings } from "./options.ts";
import { readParameters } from "./parameters.ts";
import { readRequestBody } from "./request_body.ts";
import { buildRequest, createTemplate, type RequestTemplate } from "./request_template.ts";
import { failure, readResponse } from "./response.ts";
import { toDescription } from "./schema_converter.ts";
import { keyOf } from "./select_operations.ts";

/** Caller of an {@linkcode OpenApiTool}. The context of a tool handler satisfies the interface. */
export interface OpenApiCallContext {
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** Authenticated principal, passed to {@linkcode OpenApiOptions.headers}. */
  readonly principal?: Principal | undefined;
  /** The `_meta` object of the call, passed to {@linkcode OpenApiOptions.headers}. */
  readonly meta?: Readonly<JsonObject>;
}

/** A tool that calls one operation. */
export interface OpenApiTool {
  /** Name, description, input schema and hints of the tool. */
  readonly definition: McpToolDescriptor;
  /** Operation that the tool calls. */
  readonly operation: OpenApiOperation;
  /**
   * Calls the operation. Arguments that do not match the schema, redirects, responses with an error
   * status and responses that are too large become results with `isError: true`. A request is sent
   * at most once.
   *
   * @param args Arguments that match the input schema.
   * @param context Signal, principal and `_meta` of the call.
   * @throws {McpError} With code `auth_error` if a function in the options fails, `timeout` if
   * there is no complete response within `timeoutMs`, and `connection_failed` if the request fails.
   * @throws {TypeError} If the arguments are not an object.
   * @throws The signal's reason if the signal is aborted.
   */
  call(args: JsonObject, context?: OpenApiCallContext): Promise<CallToolResult>;
}

/** An operation that can be called. */
interface CallableOperation {
  readonly name: string;
  readonly template: RequestTemplate;
  readonly check: SchemaCheck;
  readonly base: URL;
  readonly credentials: ReadonlySet<string>;
  readonly settings: OpenApiSettings;
}

/** Maximum length of the description of a tool, in characters. */
const MAX_DESCRIPTION = 1024;

/** Maximum nesting depth of arguments, which recursive functions convert. */
const MAX_DEPTH = 100;

/** Methods that cannot be sent with `fetch`. */
const UNSENDABLE = /^(?:connect|trace|track)$/i;

/** Query parameters with which a caller can usually request less data. */
const PAGING = /page|limit|offset|cursor|count|size|max|fields|filter|select/i;

/**
 * Creates a tool.
 *
 * @throws {UnsupportedOperation} If the operation cannot be a tool.
 */
export function createTool(
  document: OpenApiDocument,
  source: DocumentOperation,
  { name, settings }: Pick<CallableOperation, "name" | "settings">,
): OpenApiTool {
  const { operation, problem } = source;
  if (problem !== undefined) throw new UnsupportedOperation(problem);
  if (UNSENDABLE.test(operation.method) || !/^[!#$%&'*+.^_`|~\w-]+$/.test(operation.method)) {
    throw new UnsupportedOperation(`the method ${quote(operation.method)} cannot be sent`);
  }
  const body = readRequestBody(document, source);
  const declared = readParameters(document, source, { hasBody: body !== undefined });
  const template = createTemplate(operation, declared, body);
  const inputSchema = createInputSchema(document, template, settings.maxSchemaChars);
  const callable: CallableOperation = {
    name,
    template,
    check: compile(inputSchema),
    base: new URL(settings.baseUrl),
    credentials: document.credentials,
    settings,
  };
  return {
    definition: {
      name,
      ...defined({ title: toDescription(operation.summary) }),
      description: describe(operation, source.raw.description),
      inputSchema,
      annotations: hintsOf(operation),
    },
    operation,
    call: (args, context = {}) => call(callable, args, context),
  };
}

function compile(inputSchema: JsonObject): SchemaCheck {
  try {
    return toInputCheck(inputSchema, jsonSchemaValidator());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnsupportedOperation(`the input schema is not valid: ${error.message}`);
  }
}

function describe(operation: OpenApiOperation, description: unknown): string {
  const texts = [toDescription(operation.summary), toDescription(description, MAX_DESCRIPTION)];
  const text = [...new Set(texts.flatMap((each) => each ?? []))].join("\n\n");
  return toDescription(text, MAX_DESCRIPTION) ?? keyOf(operation);
}

/**
 * Hints that follow from the method (RFC 9110, section 9.2). A method that is not known to be
 * harmless counts as destructive.
 */
function hintsOf({ method }: OpenApiOperation): ToolAnnotations {
  const isRead = method === "GET" || method === "HEAD";
  return {
    readOnlyHint: isRead,
    destructiveHint: !isRead && method !== "POST",
    idempotentHint: isRead || method === "PUT" || method === "DELETE",
    openWorldHint: true,
  };
}

async function call(
  callable: CallableOperation,
  args: JsonObject,
  { signal, principal, meta = {} }: OpenApiCallContext,
): Promise<CallToolResult> {
  assertRecord("args", args);
  assertOptionalSignal("signal", signal);
  signal?.throwIfAborted();
  const { name, check, template, base, settings } = callable;
  if (!isPlainJson(defined(args), MAX_DEPTH)) {
    return refuse(name, `the input must be JSON with at most ${MAX_DEPTH} levels of nesting`);
  }
  const checked = await check(args);
  if (!checked.ok) return refuse(name, formatIssues(checked.issues));
  let parts;
  try {
    parts = buildRequest(template, asRecord(checked.value), base);
  } catch (error) {
    if (!(error instanceof InvalidArguments)) throw error;
    return refuse(name, error.message);
  }
  const { operation } = template;
  const { timeoutMs } = settings;
  const late = (): McpError =>
    McpError.timeout({ method: keyOf(operation), timeoutMs, kind: "silence" });
  const exchange = async ({ signal }: CallContext): Promise<CallToolResult> => {
    const details = { operation, principal, meta, signal };
    const request = await addCredentials(parts, details, callable);
    signal.throwIfAborted();
    return await send(callable, request, details);
  };
  try {
    return await callWithin(exchange, { signal, timeoutMs, late });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function refuse(name: string, reason: string): CallToolResult {
  return failure(
    `Invalid input for tool "${name}": ${reason}. Correct the input and call the tool again.`,
  );
}

async function send(
  { template, settings, base }: CallableOperation,
  { url, headers, body, secrets }: SignedRequest,
  { operation, signal }: OpenApiCall,
): Promise<CallToolResult> {
  const { maxResponseBytes, maxResultChars } = settings;
  const pagingInputs = template.parameters
    .filter(({ in: location, input }) => location === "query" && PAGING.test(input))
    .map(({ input }) => input)
    .slice(0, 5);
  const init = {
    method: operation.method,
    headers,
    redirect: "manual",
    signal,
    ...(body !== undefined && { body }),
  } as const;
  try {
    const response = await settings.fetch(url, init);
    return await readResponse(
      response,
      { maxResponseBytes, maxResultChars, secrets, pagingInputs },
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    const reason = operation.method === "GET" || operation.method === "HEAD"
      ? "the request failed"
      : "the request failed, and the server may have processed it";
    throw McpError.connectionFailed(base.origin, reason, { cause: secrets.clean(error) });
  }
}
