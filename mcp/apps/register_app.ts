/**
 * Server side of apps: tools with a page.
 *
 * @see
 * {@link https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx MCP Apps}
 * @module
 */

import type { ServerRegistration } from "../server/registration.ts";
import type { OutputOf, StandardSchema } from "../server/schema.ts";
import type { ToolDefinition, ToolHandler } from "../server/tools.ts";
import { assertObject, assertString, rejectArgument } from "@parley/internal/assert-argument";
import { optionsReader, required } from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import type { JsonObject } from "../shared/json.ts";
import { toJsonValue } from "../shared/to_json_value.ts";
import {
  APP_MEDIA_TYPE,
  APP_META_KEY,
  APP_SCHEME,
  type AppPageMetadata,
  type AppVisibility,
  parsePageMetadata,
} from "./app_metadata.ts";

/** A tool's page, and the permitted callers of the tool. */
export interface AppOptions extends AppPageMetadata {
  /** URI of the page, unique on the server. */
  readonly uri: `ui://${string}`;
  /**
   * HTML document, or a function that returns the document. An `html` function is called each time
   * a host reads the page. Do not insert untrusted text: the page can call the server's tools.
   */
  readonly html: string | (() => string | Promise<string>);
  /**
   * Who can call the tool: the model, the page, or both. Hosts that support apps enforce
   * `visibility`; hosts without app support ignore it. The visibility of a tool is not a
   * permission.
   *
   * @default {["model", "app"]}
   */
  readonly visibility?: readonly AppVisibility[];
}

/**
 * Registers a tool and the page that hosts use to display the tool's results. The page is a
 * resource with the media type `text/html;profile=mcp-app`.
 *
 * Hosts that do not support apps show only the content of the results, so the handler should return
 * meaningful content. To use one page for several tools, register each additional tool with
 * `registerTool` and `_meta: { ui: { resourceUri: uri } }`.
 *
 * The script in the page uses the npm package `@modelcontextprotocol/ext-apps`.
 *
 * @param server Server, or the registration that the `attach` function of an extension receives.
 * @param tool Name, description and schemas of the tool.
 * @param app Page of the tool.
 * @param handler Function that implements the tool.
 * @throws {TypeError} If the URI does not start with `ui://`, `html` is neither a string nor a
 * function, `visibility` or the page's metadata has an invalid value, or the server rejects the
 * tool.
 * @throws {McpError} With code `protocol_error` if the tool or the URI is already registered.
 *
 * @example A tool that displays its result on a page
 * ```ts
 * import { McpServer } from "@parley/mcp";
 * import { registerApp } from "@parley/mcp/apps";
 * import { assertEquals } from "@std/assert";
 *
 * const server = new McpServer({ name: "weather", version: "1.0.0" });
 * registerApp(
 *   server,
 *   { name: "forecast", description: "Shows the forecast for a city" },
 *   { uri: "ui://weather/forecast", html: "<!doctype html><title>Forecast</title>" },
 *   () => "Sunny, 22 °C",
 * );
 *
 * const params = { uri: "ui://weather/forecast" };
 * const { result } = await server.handleRequest({
 *   jsonrpc: "2.0",
 *   id: 1,
 *   method: "resources/read",
 *   params,
 * });
 * assertEquals(result, {
 *   contents: [{
 *     uri: "ui://weather/forecast",
 *     mimeType: "text/html;profile=mcp-app",
 *     text: "<!doctype html><title>Forecast</title>",
 *     _meta: { ui: {} },
 *   }],
 * });
 * ```
 */
export function registerApp<Schema extends StandardSchema>(
  server: Pick<ServerRegistration, "registerTool" | "registerResource" | "removeResource">,
  tool: ToolDefinition<Schema> & { readonly inputSchema: Schema },
  app: AppOptions,
  handler: ToolHandler<OutputOf<Schema>>,
): void;
/** Registers a tool whose input schema is a JSON Schema. */
export function registerApp<Args extends object = JsonObject>(
  server: Pick<ServerRegistration, "registerTool" | "registerResource" | "removeResource">,
  tool: ToolDefinition<JsonObject>,
  app: AppOptions,
  handler: ToolHandler<Args>,
): void;
export function registerApp(
  server: Pick<ServerRegistration, "registerTool" | "registerResource" | "removeResource">,
  tool: ToolDefinition<JsonObject>,
  app: AppOptions,
  handler: ToolHandler,
): void {
  assertObject("tool", tool);
  const { uri, html, visibility, ...metadata } = checkApp(app);
  const { name, title, description } = tool;
  const about = { [APP_META_KEY]: toJsonValue(metadata) };
  server.registerResource({
    uri,
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    mimeType: APP_MEDIA_TYPE,
    _meta: about,
  }, async () => {
    const text: unknown = typeof html === "function" ? await html() : html;
    assertString("html", text);
    return { uri, mimeType: APP_MEDIA_TYPE, text, _meta: about };
  });
  const ui = { resourceUri: uri, ...(visibility === undefined ? {} : { visibility }) };
  try {
    server.registerTool({ ...tool, _meta: { ...tool._meta, [APP_META_KEY]: ui } }, handler);
  } catch (error) {
    server.removeResource(uri);
    throw error;
  }
}

interface CheckedApp extends AppPageMetadata {
  readonly uri: string;
  readonly html: AppOptions["html"];
  readonly visibility?: readonly AppVisibility[];
}

const readOptions = optionsReader<AppOptions>("app")({
  uri: required(assertAppUri),
  html: required(assertHtml),
  visibility: assertVisibility,
  csp: checkedLater,
  permissions: checkedLater,
  domain: checkedLater,
  prefersBorder: checkedLater,
});

/** `parsePageMetadata()` checks the metadata of a page. */
function checkedLater(): void {}

function assertAppUri(name: string, uri: unknown): void {
  if (typeof uri === "string" && uri.startsWith(APP_SCHEME) && uri !== APP_SCHEME) return;
  throw new TypeError(`"${name}" must start with "${APP_SCHEME}", got ${formatValue(uri)}`);
}

function assertHtml(name: string, html: unknown): void {
  if (typeof html === "string" || typeof html === "function") return;
  rejectArgument(name, "a string or a function", html);
}

function checkApp(app: AppOptions): CheckedApp {
  const { uri, html, visibility, ...metadata } = readOptions(app);
  const parsed = parsePageMetadata(metadata);
  for (const key of Object.keys(metadata.csp ?? {})) {
    if (Object.hasOwn(parsed.csp ?? {}, key)) continue;
    throw new TypeError(`"app.csp" must not contain ${formatValue(key)}`);
  }
  const about = { uri, html, ...parsed };
  return visibility === undefined ? about : { ...about, visibility };
}

function assertVisibility(name: string, visibility: unknown): void {
  const isValid = Array.isArray(visibility) && visibility.length > 0 &&
    visibility.every((each) => each === "model" || each === "app");
  if (isValid) return;
  throw new TypeError(`"${name}" must contain "model", "app" or both`);
}
