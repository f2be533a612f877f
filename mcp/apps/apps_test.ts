import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  createMemoryTransport,
  McpClient,
  McpError,
  McpServer,
  type McpToolDescriptor,
  servePipe,
} from "../mod.ts";
import {
  type AppOptions,
  appsExtension,
  readApp,
  registerApp,
  toolsForApp,
  toolsForModel,
} from "../apps.ts";
import type { ServerEra } from "../client/server_era.ts";
import type { JsonObject } from "../shared/json.ts";

const URI = "ui://weather/forecast";
const PAGE = "<!doctype html><title>Forecast</title>";
const TYPE = "text/html;profile=mcp-app";

async function connect(server: McpServer, era: ServerEra = "modern"): Promise<McpClient> {
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({ transport, era, extensions: [appsExtension] });
  await client.connect();
  return client;
}

function newServer(onError: (error: unknown) => void = () => {}): McpServer {
  return new McpServer({ name: "weather", version: "1.0.0", onError });
}

function toolWith(meta?: JsonObject): McpToolDescriptor {
  const tool = { name: "forecast", description: "", inputSchema: { type: "object" } };
  return meta === undefined ? tool : { ...tool, _meta: meta };
}

/** Returns a client connected to a server whose only resource has the given contents. */
function clientOfPage(content: JsonObject, listed: JsonObject = {}): Promise<McpClient> {
  const server = newServer();
  server.registerResource({ uri: URI, name: "page", ...listed }, () => ({ contents: [content] }));
  return connect(server);
}

const TOOL = toolWith({ ui: { resourceUri: URI } });

for (const era of ["modern", "legacy"] as const) {
  Deno.test(`a host calls a tool and reads the page that registerApp() registered (${era})`, async () => {
    const server = newServer();
    let reads = 0;
    registerApp(server, {
      name: "forecast",
      title: "Forecast",
      description: "Shows the forecast",
      inputSchema: { type: "object", properties: { city: { type: "string" } } },
      _meta: { "example.com/key": 1 },
    }, {
      uri: URI,
      html: () => `${PAGE}${++reads}`,
      visibility: ["app"],
      csp: { connectDomains: ["https://api.example.com"], resourceDomains: [] },
      permissions: { geolocation: {} },
      domain: "weather.example.com",
      prefersBorder: false,
    }, ({ city }: { city: string }) => `Sunny in ${city}`);
    server.registerTool(
      { name: "capabilities" },
      (_args, { client }) => client.capabilities.extensions,
    );
    await using client = await connect(server, era);

    const [tool] = await client.listTools();
    assert(tool !== undefined);
    assertEquals(tool._meta, {
      "example.com/key": 1,
      ui: { resourceUri: URI, visibility: ["app"] },
    });
    const metadata = {
      csp: { connectDomains: ["https://api.example.com"], resourceDomains: [] },
      permissions: { geolocation: {} },
      domain: "weather.example.com",
      prefersBorder: false,
    };
    assertEquals(await client.listResources(), [{
      uri: URI,
      name: "forecast",
      title: "Forecast",
      description: "Shows the forecast",
      mimeType: TYPE,
      _meta: { ui: metadata },
    }]);
    assertEquals(await readApp(client, tool), { uri: URI, html: `${PAGE}1`, ...metadata });
    assertEquals((await readApp(client, tool))?.html, `${PAGE}2`);
    const { content } = await client.callTool("forecast", { city: "Bern" });
    assertEquals(content, [{ type: "text", text: "Sunny in Bern" }]);
    const { structuredContent } = await client.callTool("capabilities", {});
    assertEquals(structuredContent, { "io.modelcontextprotocol/ui": { mimeTypes: [TYPE] } });
  });
}

Deno.test("registerApp() rejects invalid options and registers nothing", async () => {
  const server = newServer();
  const valid = { uri: URI, html: PAGE } as const;
  const invalid: readonly [Record<string, unknown>, string][] = [
    [{ uri: "https://example.com" }, '"app.uri" must start with "ui://"'],
    [{ uri: "ui://" }, '"app.uri" must start with "ui://"'],
    [{ uri: 1 }, '"app.uri" must start with "ui://"'],
    [{ html: undefined }, '"app.html" must be a string or a function'],
    [{ visibility: [] }, '"app.visibility" must contain "model", "app" or both'],
    [{ visibility: ["user"] }, '"app.visibility" must contain "model", "app" or both'],
    [{ visibility: "app" }, '"app.visibility" must contain "model", "app" or both'],
    [{ csp: [] }, '"csp" must be an object'],
    [{ csp: { connectDomains: "https://a.example" } }, '"csp.connectDomains" must be an array'],
    [{ csp: { frameDomains: ["a; script-src *"] } }, '"csp.frameDomains" must be an array'],
    [{ csp: { connectDomain: [] } }, '"app.csp" must not contain "connectDomain"'],
    [{ permissions: { camera: true } }, '"permissions.camera" must be an object'],
    [{ domain: 1 }, '"domain" must be a string'],
    [{ prefersBorder: "no" }, '"prefersBorder" must be a boolean'],
  ];
  for (const [change, message] of invalid) {
    // TypeScript rejects the invalid options, but a JavaScript caller can pass them.
    const app = { ...valid, ...change } as unknown as AppOptions;
    assertThrows(() => registerApp(server, { name: "t" }, app, () => ""), TypeError, message);
  }
  const badTool = { name: "t", inputSchema: { type: "string" } };
  assertThrows(() => registerApp(server, badTool, valid, () => ""), TypeError);
  server.registerTool({ name: "taken" }, () => "");
  const error = assertThrows(
    () => registerApp(server, { name: "taken" }, valid, () => ""),
    McpError,
  );
  assertEquals(error.code, "protocol_error");
  registerApp(server, { name: "t" }, valid, () => "");
  await using client = await connect(server);
  assertEquals((await client.listResources()).map(({ name }) => name), ["t"]);
});

Deno.test("a function that does not return HTML fails the read, and the error is reported", async () => {
  const errors: unknown[] = [];
  const server = newServer((error) => errors.push(error));
  registerApp(server, { name: "t" }, { uri: URI, html: () => JSON.parse("1") }, () => "");
  await using client = await connect(server);
  await assertRejects(() => readApp(client, TOOL), McpError, "Internal error");
  assertEquals(errors.map(String), ['TypeError: "html" must be a string, got 1']);
});

Deno.test("toolsForModel() and toolsForApp() apply the visibility of each tool", () => {
  const rows: readonly [JsonObject | undefined, boolean, boolean][] = [
    [undefined, true, true],
    [{}, true, true],
    [{ ui: {} }, true, true],
    [{ ui: null }, true, true],
    [{ ui: { visibility: ["model", "app"] } }, true, true],
    [{ ui: { visibility: ["model"] } }, true, false],
    [{ ui: { visibility: ["app"] } }, false, true],
    [{ ui: { visibility: [] } }, false, false],
    [{ ui: { visibility: ["other"] } }, false, false],
    [{ ui: { visibility: "app" } }, false, false],
    [{ ui: { visibility: "model" } }, false, false],
    [{ ui: { visibility: null } }, false, false],
  ];
  for (const [meta, model, app] of rows) {
    const tools = [toolWith(meta)];
    assertEquals(toolsForModel(tools), model ? tools : [], JSON.stringify(meta));
    assertEquals(toolsForApp(tools), app ? tools : [], JSON.stringify(meta));
  }
});

Deno.test("readApp() returns undefined for a tool without a page, and sends no request", async () => {
  const methods: string[] = [];
  const server = new McpServer({
    name: "s",
    version: "1",
    around: ({ method }, next) => (methods.push(method), next()),
  });
  await using client = await connect(server);
  for (const meta of [undefined, {}, { ui: {} }, { ui: "ui://x" }]) {
    assertEquals(await readApp(client, toolWith(meta)), undefined);
  }
  assertEquals(methods.filter((method) => method.startsWith("resources/")), []);
});

Deno.test("readApp() reads base64, the earlier flat key, and metadata from the list of resources", async () => {
  const bytes = btoa(PAGE);
  const ui = { csp: { frameDomains: ["https://*.example.com"], unknown: ["*"] }, other: 1 };
  const listed = { _meta: { ui: { prefersBorder: true } } };
  const flat = toolWith({ "ui/resourceUri": URI });
  const content = { uri: URI, mimeType: TYPE, blob: bytes };
  {
    await using client = await clientOfPage({ ...content, _meta: { ui } }, listed);
    const csp = { frameDomains: ["https://*.example.com"] };
    assertEquals(await readApp(client, flat), { uri: URI, html: PAGE, csp });
  }
  await using client = await clientOfPage(content, listed);
  assertEquals(await readApp(client, TOOL), {
    uri: URI,
    html: PAGE,
    csp: {},
    prefersBorder: true,
  });
});

Deno.test("readApp() rejects pages that are not valid", async () => {
  const text = { text: PAGE };
  const rows: readonly [JsonObject, string][] = [
    [{ uri: URI, ...text }, "the media type must be"],
    [{ uri: URI, mimeType: "text/html", ...text }, 'got "text/html"'],
    [{ uri: "ui://other", mimeType: TYPE, ...text }, "the server returned a different resource"],
    [{ uri: URI, mimeType: TYPE, blob: btoa("\xff") }, "the page is not valid UTF-8 in base64"],
    [{ uri: URI, mimeType: TYPE, blob: "%" }, "the page is not valid UTF-8 in base64"],
    ...[
      null,
      { csp: null },
      { csp: { connectDomains: "https://a.example" } },
      { csp: { connectDomains: [1] } },
      { csp: { connectDomains: ["https://a.example; script-src *"] } },
      { csp: { resourceDomains: ["'unsafe-eval'"] } },
      { csp: { resourceDomains: ["https://a.example https://b.example"] } },
      { csp: { resourceDomains: [""] } },
      { csp: { resourceDomains: ["https://a.example\u0000"] } },
      { csp: { resourceDomains: ["https://a.example><script>"] } },
      { csp: { resourceDomains: ["https://a.example&quot&semi"] } },
      { csp: { resourceDomains: ["https://\u00e4.example"] } },
      { permissions: { camera: 1 } },
      { domain: {} },
      { prefersBorder: 0 },
    ].map((ui): [JsonObject, string] => [
      { uri: URI, mimeType: TYPE, ...text, _meta: { ui } },
      "the metadata is not valid",
    ]),
  ];
  for (const [content, message] of rows) {
    await using client = await clientOfPage(content);
    const error = await assertRejects(() => readApp(client, TOOL), McpError, message);
    assertEquals(error.code, "protocol_error");
  }
});

Deno.test("readApp() rejects a URI with another scheme, and sends no request for it", async () => {
  await using client = await connect(newServer());
  for (const uri of ["file:///etc/passwd", "UI://x", 1, null]) {
    const tool = toolWith({ "ui/resourceUri": uri });
    const error = await assertRejects(
      () => readApp(client, tool),
      McpError,
      'must have a URI that starts with "ui://"',
    );
    assertEquals(error.code, "protocol_error");
  }
});

Deno.test("readApp() accepts a page of maxBytes bytes and rejects a longer page", async () => {
  const html = "<p>ü</p>"; // 8 characters, but 9 bytes in UTF-8
  const bytes = btoa(String.fromCharCode(...new TextEncoder().encode(html)));
  for (const body of [{ text: html }, { blob: bytes }]) {
    await using client = await clientOfPage({ uri: URI, mimeType: TYPE, ...body });
    assertEquals((await readApp(client, TOOL, { maxBytes: 9 }))?.html, html);
    const read = () => readApp(client, TOOL, { maxBytes: 8 });
    await assertRejects(read, McpError, 'more than "maxBytes" (8) bytes');
    await assertRejects(() => readApp(client, TOOL, { maxBytes: 0 }), RangeError, '"maxBytes"');
  }
});

Deno.test("an aborted signal ends readApp()", async () => {
  await using client = await clientOfPage({ uri: URI, mimeType: TYPE, text: PAGE });
  const signal = AbortSignal.abort(new Error("stop"));
  await assertRejects(() => readApp(client, TOOL, { signal }), Error, "stop");
});
