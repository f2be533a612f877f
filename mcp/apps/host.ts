/**
 * Client side of apps: selects the tools for models and for pages, and reads the pages.
 *
 * @see
 * {@link https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx MCP Apps}
 * @module
 */

import type { McpClient } from "../client/client.ts";
import type { RequestOptions } from "../client/request_options.ts";
import type { ResourceContents } from "../protocol/resource.ts";
import type { McpToolDescriptor } from "../protocol/tool.ts";
import { decodeBase64 } from "@parley/internal/base64";
import { assertCount, assertObject } from "@parley/internal/assert-argument";
import { assertNames, namesOf } from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import {
  APP_MEDIA_TYPE,
  APP_META_KEY,
  APP_SCHEME,
  type AppCsp,
  type AppPageMetadata,
  type AppVisibility,
  parsePageMetadata,
} from "./app_metadata.ts";

/**
 * The apps extension (`io.modelcontextprotocol/ui`). A client that renders pages declares the
 * extension with `new McpClient({ extensions: [appsExtension] })`. A server may declare the
 * extension with `new McpServer({ extensions: [appsExtension] })`.
 *
 * @example Declare support for apps
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { appsExtension } from "@parley/mcp/apps";
 * import { assertEquals } from "@std/assert";
 *
 * const server = new McpServer({ name: "weather", version: "1.0.0" });
 * server.registerTool({ name: "client" }, (_args, { client }) => client.capabilities);
 * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
 * await using client = new McpClient({ transport, extensions: [appsExtension] });
 * await client.connect();
 * const { structuredContent } = await client.callTool("client", {});
 * assertEquals(structuredContent, {
 *   extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
 * });
 * ```
 */
export const appsExtension: { readonly id: string; readonly settings: JsonObject } = {
  id: "io.modelcontextprotocol/ui",
  settings: { mimeTypes: [APP_MEDIA_TYPE] },
};

/** Options for {@linkcode readApp}. */
export interface ReadAppOptions extends RequestOptions {
  /**
   * Maximum size of the page, in bytes of UTF-8.
   *
   * @default {4_194_304}
   */
  readonly maxBytes?: number;
}

// The client checks the options of the requests.
const READ_APP_NAMES = namesOf<ReadAppOptions>({
  maxBytes: true,
  signal: true,
  timeoutMs: true,
  maxTotalMs: true,
  maxInputMs: true,
  onProgress: true,
  meta: true,
  handlers: true,
});

/** A tool's page, as read by a host. */
export interface AppPage extends Omit<AppPageMetadata, "csp"> {
  /** URI of the page. */
  readonly uri: string;
  /**
   * HTML document from the server, which is untrusted: render the document only in a sandboxed
   * frame with a different origin.
   */
  readonly html: string;
  /** Origins that the page may use. If the server declares no origins, `csp` is empty. */
  readonly csp: AppCsp;
}

/** Key of the page URI in a tool's `_meta` object, in early versions of the apps extension. */
const FLAT_URI_KEY = "ui/resourceUri";

/**
 * Returns the tools that a model may call: all tools except those whose visibility does not include
 * `model`.
 *
 * @param tools Tools of one server.
 *
 * @example Hide a tool that only pages may call
 * ```ts
 * import { toolsForModel } from "@parley/mcp/apps";
 * import { assertEquals } from "@std/assert";
 *
 * const inputSchema = { type: "object" };
 * const tools = toolsForModel([
 *   { name: "forecast", description: "Shows the forecast", inputSchema },
 *   { name: "refresh", description: "", inputSchema, _meta: { ui: { visibility: ["app"] } } },
 * ]);
 * assertEquals(tools.map(({ name }) => name), ["forecast"]);
 * ```
 */
export function toolsForModel(tools: readonly McpToolDescriptor[]): readonly McpToolDescriptor[] {
  return tools.filter((tool) => isVisibleTo(tool, "model"));
}

/**
 * Returns the tools that a page may call: all tools except those whose visibility does not include
 * `app`. A host must reject a page's calls to all tools that are not in the returned list,
 * including tools from other servers.
 *
 * @param tools Tools from the server that provides the page.
 *
 * @example Hide a tool that only the model may call
 * ```ts
 * import { toolsForApp } from "@parley/mcp/apps";
 * import { assertEquals } from "@std/assert";
 *
 * const inputSchema = { type: "object" };
 * const tools = toolsForApp([
 *   { name: "forecast", description: "Shows the forecast", inputSchema },
 *   { name: "pay", description: "Pays", inputSchema, _meta: { ui: { visibility: ["model"] } } },
 * ]);
 * assertEquals(tools.map(({ name }) => name), ["forecast"]);
 * ```
 */
export function toolsForApp(tools: readonly McpToolDescriptor[]): readonly McpToolDescriptor[] {
  return tools.filter((tool) => isVisibleTo(tool, "app"));
}

/**
 * Reads a tool's page. Returns `undefined` if the tool has no page.
 *
 * The page's metadata is read from the page itself. If the page has no metadata, the metadata in
 * the resource list is used.
 *
 * @param client Connected client for the server that provides the tool.
 * @param tool Tool, as listed by the server.
 * @param options Maximum size of the page, abort signal and timeouts.
 * @throws {TypeError} If `client` or `tool` is not an object.
 * @throws {RangeError} If `maxBytes` is not a positive integer.
 * @throws {McpError} With code `protocol_error` if the page URI does not start with `ui://`, or if
 * the page's media type, length, encoding or metadata is not valid.
 * @throws {McpError} If a request fails, with the same codes as {@linkcode McpClient.getResource}.
 *
 * @example Read the page of a tool
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { appsExtension, readApp, registerApp } from "@parley/mcp/apps";
 * import { assertEquals } from "@std/assert";
 *
 * const server = new McpServer({ name: "weather", version: "1.0.0" });
 * registerApp(server, { name: "forecast" }, {
 *   uri: "ui://weather/forecast",
 *   html: "<!doctype html><title>Forecast</title>",
 *   csp: { connectDomains: ["https://api.example.com"] },
 * }, () => "Sunny, 22 °C");
 * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
 * await using client = new McpClient({ transport, extensions: [appsExtension] });
 * await client.connect();
 *
 * for (const tool of await client.listTools()) {
 *   const page = await readApp(client, tool);
 *   assertEquals(page?.html, "<!doctype html><title>Forecast</title>");
 *   assertEquals(page?.csp, { connectDomains: ["https://api.example.com"] });
 * }
 * ```
 */
export async function readApp(
  client: McpClient,
  tool: McpToolDescriptor,
  options: ReadAppOptions = {},
): Promise<AppPage | undefined> {
  assertObject("client", client);
  assertObject("tool", tool);
  assertObject("options", options);
  assertNames("options", options, READ_APP_NAMES);
  const { maxBytes = 4_194_304, ...request } = options;
  assertCount("maxBytes", maxBytes);
  const uri = pageUriOf(tool);
  if (uri === undefined) return undefined;
  const { contents } = await client.getResource(uri, request);
  const content = contents.find((each) => each.uri === uri);
  if (content === undefined) throw invalidPage(uri, "the server returned a different resource");
  if (content.mimeType !== APP_MEDIA_TYPE) {
    const actual = formatValue(content.mimeType);
    throw invalidPage(uri, `the media type must be "${APP_MEDIA_TYPE}", got ${actual}`);
  }
  const html = toHtml(content, uri, maxBytes);
  const { csp = {}, ...metadata } = readMetadata(uri, await findMetadata(client, content, request));
  return { uri, html, csp, ...metadata };
}

/** Returns the app metadata from a `_meta` object, or an empty object. */
function uiOf(meta: JsonObject | undefined): JsonObject {
  const ui = meta?.[APP_META_KEY];
  return isRecord(ui) ? ui : {};
}

/** A visibility that is not an array includes nobody. */
function isVisibleTo({ _meta }: McpToolDescriptor, caller: AppVisibility): boolean {
  const { visibility } = uiOf(_meta);
  return visibility === undefined || Array.isArray(visibility) && visibility.includes(caller);
}

function pageUriOf({ name, _meta }: McpToolDescriptor): string | undefined {
  const uri = uiOf(_meta).resourceUri ?? _meta?.[FLAT_URI_KEY];
  if (uri === undefined) return undefined;
  if (typeof uri === "string" && uri.startsWith(APP_SCHEME)) return uri;
  throw McpError.protocolError(
    `the page of the tool "${name}" must have a URI that starts with "${APP_SCHEME}", got ${
      formatValue(uri)
    }`,
  );
}

function toHtml({ text, blob = "" }: ResourceContents, uri: string, maxBytes: number): string {
  const tooLong = (): McpError =>
    invalidPage(uri, `the page has more than "maxBytes" (${maxBytes}) bytes`);
  if (text !== undefined) {
    if (text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes) throw tooLong();
    return text;
  }
  try {
    const bytes = decodeBase64(blob);
    if (bytes.length <= maxBytes) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalidPage(uri, "the page is not valid UTF-8 in base64", cause);
  }
  throw tooLong();
}

async function findMetadata(
  client: McpClient,
  { uri, _meta }: ResourceContents,
  options: RequestOptions,
): Promise<unknown> {
  if (_meta?.[APP_META_KEY] !== undefined) return _meta[APP_META_KEY];
  const resources = await client.listResources(options);
  return resources.find((resource) => resource.uri === uri)?._meta?.[APP_META_KEY] ?? {};
}

function readMetadata(uri: string, value: unknown): AppPageMetadata {
  try {
    return parsePageMetadata(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalidPage(uri, `the metadata is not valid: ${reason}`, cause);
  }
}

function invalidPage(uri: string, reason: string, cause?: unknown): McpError {
  return McpError.protocolError(`the page "${uri}" is not valid: ${reason}`, { cause });
}
