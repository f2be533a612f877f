/**
 * Apps, an MCP extension (`io.modelcontextprotocol/ui`) for tools whose results a host displays in
 * an HTML page that the server provides.
 *
 * Servers use {@linkcode registerApp}. Hosts use {@linkcode appsExtension},
 * {@linkcode toolsForModel} and {@linkcode readApp}. This module does not render pages, and
 * contains no code for scripts in a page. The npm package `@modelcontextprotocol/ext-apps` contains
 * code for pages and for hosts that render them.
 *
 * @see
 * {@link https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx MCP Apps}
 * @module
 */

export type {
  AppCsp,
  AppPageMetadata,
  AppPermissions,
  AppVisibility,
} from "./apps/app_metadata.ts";
export {
  type AppPage,
  appsExtension,
  readApp,
  type ReadAppOptions,
  toolsForApp,
  toolsForModel,
} from "./apps/host.ts";
export { type AppOptions, registerApp } from "./apps/register_app.ts";
export { McpError, McpErrorCode } from "./shared/error.ts";
export type { McpErrorCodeType, McpErrorDetails, McpErrorOptions } from "./shared/error.ts";
