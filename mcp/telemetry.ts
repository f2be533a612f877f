/**
 * OpenTelemetry spans and metrics for MCP requests, following the semantic conventions for MCP.
 *
 * Pass the result of {@linkcode mcpTelemetry} as the `around` option of a client or a server. This
 * module imports no OpenTelemetry package; the caller passes the objects from `@opentelemetry/api`.
 *
 * - On the client, each call has one span of kind `CLIENT`, including all round trips in which the
 *   server requests input.
 * - On the server, each request has a span of kind `SERVER`. With `propagation`, the client's span
 *   is the parent of the server's span.
 * - The name of a span is the method, followed by the name of the tool or prompt, for example
 *   `tools/call add`. Resource URIs are recorded only as attributes.
 *
 * A span is active while its request is sent or handled, so spans that a tool handler starts are
 * children of the server's span. Active spans require a context manager, for example
 * `AsyncLocalStorageContextManager` from `@opentelemetry/context-async-hooks`.
 *
 * The OpenTelemetry conventions for MCP are still in development. The names of spans, metrics and
 * attributes match the conventions as of November 2026 and may change in a minor version of this
 * package.
 *
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { mcpTelemetry } from "@parley/mcp/telemetry";
 * import { assertEquals } from "@std/assert";
 *
 * // Usually: import { context, propagation, trace } from "@opentelemetry/api";
 * const names: string[] = [];
 * const span = { setAttributes: () => {}, setStatus: () => {}, end: () => {} };
 * const tracer = {
 *   startSpan: (name: string) => {
 *     names.push(name);
 *     return span;
 *   },
 * };
 * const trace = { setSpan: () => "inside", getSpanContext: () => undefined };
 * const context = {
 *   active: () => "outside",
 *   with: (_context: string, callback: () => void) => callback(),
 * };
 * const server = new McpServer({ name: "greeter", version: "1.0.0" });
 * server.registerTool({ name: "greet", description: "Greets" }, () => "hello");
 * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
 * const around = mcpTelemetry({ tracer, trace, context });
 * await using client = new McpClient({ transport, around });
 * await client.connect();
 * await client.callTool("greet", {});
 * assertEquals(names, ["tools/call greet"]);
 * ```
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 * @module
 */

export type { AroundRequest, RequestDescription } from "./protocol/around_request.ts";
export type {
  McpTelemetryOptions,
  TelemetryAttributes,
  TelemetryHistogramOptions,
  TelemetryMeter,
  TelemetryPropagation,
  TelemetrySpan,
  TelemetrySpanContext,
  TelemetrySpanOptions,
} from "./telemetry/options.ts";
export { mcpTelemetry } from "./telemetry/telemetry.ts";
