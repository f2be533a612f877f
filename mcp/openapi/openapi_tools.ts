/**
 * Tools for the operations of an OpenAPI document.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html OpenAPI Specification 3.1}
 * @module
 */

import { assertMethods, assertObject, assertString } from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { assertNames, namesOf } from "@parley/internal/options";
import { readSignal } from "@parley/internal/read-signal";
import type { CallToolResult, McpToolDescriptor } from "../protocol/tool.ts";
import type { Principal } from "../server/exchange_context.ts";
import type { ServerRegistration } from "../server/registration.ts";
import { withConsent } from "../server/with_consent.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { readDocument } from "./document.ts";
import { UnsupportedOperation } from "./failures.ts";
import { nameTools } from "./names.ts";
import { createTool, type OpenApiTool } from "./operation_tool.ts";
import { type OpenApiOperation, type OpenApiOptions, readOptions } from "./options.ts";
import { keyFor, keyOf, selectOperations } from "./select_operations.ts";

/** An operation that is not offered although it was selected. */
export interface SkippedOperation {
  /**
   * Method and path of the operation, or only the path if the operations of the path cannot be
   * read.
   */
  readonly operation: string;
  /** Reason why the operation cannot be a tool. */
  readonly reason: string;
}

/** Options for {@linkcode OpenApiTools.callTool}. */
export interface OpenApiCallOptions {
  /** Signal that aborts the call. */
  readonly signal?: AbortSignal;
  /** Members of the `_meta` object of the call, passed to {@linkcode OpenApiOptions.headers}. */
  readonly meta?: Readonly<JsonObject>;
  /** Principal for which the tool is called, passed to {@linkcode OpenApiOptions.headers}. */
  readonly principal?: Principal;
}

/**
 * Result of {@linkcode openApiTools}. The methods `listTools` and `callTool` are those of an MCP
 * client, so `registry.registerMcp(tools, { trustHints: true })` of `@parley/runtime` adds the
 * tools to an agent.
 */
export interface OpenApiTools {
  /** Tools, in the order of the document. */
  readonly tools: readonly OpenApiTool[];
  /** Selected operations that cannot be tools. */
  readonly skipped: readonly SkippedOperation[];
  /**
   * Registers all tools with a server. If one cannot be registered, none is. If a token exchange in
   * `headers` or `query` requires the consent of the user, the client is requested to open its
   * page; see `withConsent`.
   *
   * @param server MCP server.
   * @throws {McpError} With code `protocol_error` if the server has a tool with the same name.
   * @throws {TypeError} If the value is not a server.
   */
  register(server: ServerRegistration): void;
  /**
   * Returns the definitions of the tools.
   *
   * @param options Signal, for compatibility with MCP clients.
   * @throws The signal's reason if the signal is aborted.
   */
  listTools(options?: { readonly signal?: AbortSignal }): Promise<readonly McpToolDescriptor[]>;
  /**
   * Calls a tool; see {@linkcode OpenApiTool.call}.
   *
   * @param name Name of the tool.
   * @param args Arguments that match the input schema.
   * @param options Signal, principal and `_meta` of the call.
   * @throws {McpError} With code `tool_not_found` if there is no tool with this name.
   * @throws {McpError} If the call fails, with the same codes as {@linkcode OpenApiTool.call}.
   * @throws {TypeError} If an argument or an option has the wrong type.
   * @throws The signal's reason if the signal is aborted.
   */
  callTool(name: string, args: JsonObject, options?: OpenApiCallOptions): Promise<CallToolResult>;
}

const CALL_NAMES = namesOf<OpenApiCallOptions>({ signal: true, meta: true, principal: true });

/**
 * Creates tools for operations of an OpenAPI document (version 3.0, 3.1 or 3.2). Nothing is fetched
 * while the document is read, and only references inside the document are resolved. An operation
 * that cannot be a tool is reported to `onError` and listed in `skipped`.
 *
 * @param document Parsed document, which must not change while the tools are created.
 * @param options Base URL, operations to offer, credentials and limits.
 * @throws {TypeError} If the document is not an OpenAPI document of version 3.0, 3.1 or 3.2, an
 * option is not valid, or `operations` or `names` contains an operation that the document does not
 * contain.
 * @throws {RangeError} If more than `maxTools` operations are selected, or a limit is not valid.
 *
 * @example Offer one operation of an API
 * ```ts
 * import { McpServer } from "@parley/mcp/server";
 * import { openApiTools } from "@parley/mcp/openapi";
 * import { assertEquals } from "@std/assert";
 *
 * const document = {
 *   openapi: "3.1.0",
 *   paths: {
 *     "/orders/{id}": {
 *       get: {
 *         operationId: "getOrder",
 *         summary: "Returns an order",
 *         parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
 *       },
 *     },
 *   },
 * };
 * const api = openApiTools(document, {
 *   baseUrl: "https://api.example.com/v1",
 *   operations: ["getOrder"],
 *   headers: () => ({ authorization: "Bearer secret" }),
 *   fetch: (url) => Promise.resolve(Response.json({ url })), // instead of the network
 * });
 * api.register(new McpServer({ name: "orders", version: "1.0.0" }));
 *
 * const { structuredContent } = await api.callTool("getOrder", { id: "a/b" });
 * assertEquals(structuredContent, { url: "https://api.example.com/v1/orders/a%2Fb" });
 * ```
 */
export function openApiTools(document: unknown, options: OpenApiOptions): OpenApiTools {
  const settings = readOptions(options);
  const report = createErrorReporter("openApiTools", settings.onError);
  const read = readDocument(document);
  const selected = selectOperations(read, settings.operations, report);
  if (selected.length > settings.maxTools) {
    throw new RangeError(
      `"operations" must select at most ${settings.maxTools} operations ("maxTools"), got ${selected.length}`,
    );
  }
  const chosen = new Map(
    Object.entries(settings.names).map(([key, name]) => [keyFor(read, key, `names.${key}`), name]),
  );
  const names = nameTools(selected.map(({ operation }) => ({
    chosen: chosen.get(keyOf(operation)),
    wanted: settings.prefix + (operation.operationId ?? nameByPath(operation)),
    key: keyOf(operation),
  })));
  const tools: OpenApiTool[] = [];
  const skipped: SkippedOperation[] = read.unreadable
    .map(({ path, reason }) => ({ operation: path, reason }));
  for (const [index, source] of selected.entries()) {
    const key = keyOf(source.operation);
    try {
      tools.push(createTool(read, source, { name: names[index] ?? key, settings }));
    } catch (error) {
      if (!(error instanceof UnsupportedOperation)) throw error;
      skipped.push({ operation: key, reason: error.message });
    }
  }
  for (const { operation, reason } of skipped) {
    report(McpError.core(`the operation "${operation}" is not offered: ${reason}`));
  }
  return toOpenApiTools(tools, skipped, report);
}

/** Returns the text from which a name such as `get_users_id` is created. */
function nameByPath({ method, path }: OpenApiOperation): string {
  return `${method.toLowerCase()} ${path}`;
}

function toOpenApiTools(
  tools: readonly OpenApiTool[],
  skipped: readonly SkippedOperation[],
  report: (error: unknown) => void,
): OpenApiTools {
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  return {
    tools,
    skipped,
    register: (server) => register(tools, server, report),
    async listTools(options) {
      readSignal(options)?.throwIfAborted();
      return await Promise.resolve(tools.map(({ definition }) => definition));
    },
    async callTool(name, args, options = {}) {
      assertString("name", name);
      assertObject("options", options);
      assertNames("options", options, CALL_NAMES, { abortSignal: "signal" });
      const tool = byName.get(name);
      if (tool === undefined) throw McpError.toolNotFound(name);
      return await tool.call(args, options);
    },
  };
}

function register(
  tools: readonly OpenApiTool[],
  server: ServerRegistration,
  report: (error: unknown) => void,
): void {
  assertMethods("server", "an McpServer", server, ["registerTool", "removeTool"]);
  const registered: string[] = [];
  try {
    for (const { definition, call } of tools) {
      server.registerTool(definition, (args, context) =>
        withConsent(context, async () => {
          try {
            return await call(args, context);
          } catch (error) {
            // The client receives only the message.
            if (!context.signal.aborted) report(error);
            throw error;
          }
        }));
      registered.push(definition.name);
    }
  } catch (error) {
    for (const name of registered) server.removeTool(name);
    throw error;
  }
}
