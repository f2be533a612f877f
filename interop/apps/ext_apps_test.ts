/**
 * Tests our client with apps from `@modelcontextprotocol/ext-apps`, and the host functions from
 * that package with our apps.
 */

import {
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  type McpUiResourceCsp,
  type McpUiResourceMeta,
  McpUiResourceMetaSchema,
  type McpUiToolMeta,
  McpUiToolMetaSchema,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import {
  EXTENSION_ID,
  getUiCapability,
  registerAppResource,
  registerAppTool,
  RESOURCE_MIME_TYPE,
} from "@modelcontextprotocol/ext-apps/server";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer as SdkServer } from "@modelcontextprotocol/server";
import { HttpTransport, McpClient, mcpHandler, McpServer } from "@parley/mcp";
import {
  type AppCsp,
  type AppPageMetadata,
  appsExtension,
  type AppVisibility,
  readApp,
  registerApp,
  toolsForApp,
  toolsForModel,
} from "@parley/mcp/apps";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";

const URL_OF_SERVER = "http://localhost/mcp";
const PAGE = "<!doctype html><title>Forecast</title>";
const CSP = { connectDomains: ["https://api.example.com"], frameDomains: [] };

Deno.test("the types of app metadata are assignable in both directions", () => {
  type Mutable<T> = T extends readonly (infer Item)[] ? Item[]
    : T extends object ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;
  const fits = {
    csp: (csp: McpUiResourceCsp): AppCsp => csp,
    theirCsp: (csp: Mutable<AppCsp>): McpUiResourceCsp => csp,
    theirMeta: (meta: Mutable<AppPageMetadata>): McpUiResourceMeta => meta,
    visibility: (meta: McpUiToolMeta): readonly AppVisibility[] | undefined => meta.visibility,
  };
  assertEquals(Object.keys(fits).length, 4);
});

Deno.test("a host that uses @modelcontextprotocol/ext-apps accepts an app of registerApp()", async () => {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  const schema = z.object({ city: z.string() });
  const app = {
    uri: "ui://weather/forecast",
    html: PAGE,
    visibility: ["app"],
    csp: CSP,
    permissions: { camera: {} },
    prefersBorder: true,
  } as const;
  registerApp(server, { name: "forecast", inputSchema: schema }, app, ({ city }) => city);
  const handler = mcpHandler(server);
  const client = new Client({ name: "host", version: "1.0.0" });
  const url = new URL(URL_OF_SERVER);
  const fetch = (input: string | URL | Request, init?: RequestInit) =>
    handler(new Request(input, init));
  await client.connect(new StreamableHTTPClientTransport(url, { fetch }));
  try {
    const { tools: [tool] } = await client.listTools();
    assert(tool !== undefined);
    assertEquals(getToolUiResourceUri(tool), app.uri);
    assert(isToolVisibilityAppOnly(tool));
    assertEquals(McpUiToolMetaSchema.parse(tool._meta?.ui), {
      resourceUri: app.uri,
      visibility: ["app"],
    });
    const { contents: [content] } = await client.readResource({ uri: app.uri });
    assert(content !== undefined && "text" in content);
    assertEquals([content.mimeType, content.text], [RESOURCE_MIME_TYPE, PAGE]);
    assertEquals(McpUiResourceMetaSchema.strict().parse(content._meta?.ui), {
      csp: { connectDomains: [...CSP.connectDomains], frameDomains: [] },
      permissions: { camera: {} },
      prefersBorder: true,
    });
  } finally {
    await client.close();
    await handler.close();
  }
});

Deno.test("readApp() reads an app that @modelcontextprotocol/ext-apps registers", async () => {
  const uri = "ui://weather/forecast";
  const capabilities: unknown[] = [];
  const handler = createMcpHandler(() => {
    const server = new SdkServer({ name: "weather", version: "1.0.0" });
    const inputSchema = z.object({});
    registerAppTool(
      server,
      "forecast",
      { inputSchema, _meta: { ui: { resourceUri: uri } } },
      () => ({ content: [{ type: "text", text: "Sunny" }] }),
    );
    registerAppTool(
      server,
      "refresh",
      { inputSchema, _meta: { ui: { resourceUri: uri, visibility: ["app"] } } },
      () => ({ content: [] }),
    );
    // Only the resource list contains the metadata. Hosts use the metadata from the list if the
    // page contents have none.
    registerAppResource(server, "page", uri, { _meta: { ui: { csp: CSP } } }, () => {
      capabilities.push(getUiCapability(server.server.getClientCapabilities()));
      return { contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: PAGE }] };
    });
    return server;
  });
  const fetch = (input: string | URL | Request, init?: RequestInit) =>
    handler.fetch(new Request(input, init));
  const transport = new HttpTransport(URL_OF_SERVER, { fetch });
  await using client = new McpClient({ transport, extensions: [appsExtension] });
  await client.connect();
  const tools = await client.listTools();
  assertEquals(toolsForModel(tools).map(({ name }) => name), ["forecast"]);
  assertEquals(toolsForApp(tools).map(({ name }) => name), ["forecast", "refresh"]);
  for (const tool of tools) {
    assertEquals(await readApp(client, tool), { uri, html: PAGE, csp: CSP });
  }
  assertEquals(appsExtension.id, EXTENSION_ID);
  assertEquals(capabilities[0], { mimeTypes: [RESOURCE_MIME_TYPE] });
});
