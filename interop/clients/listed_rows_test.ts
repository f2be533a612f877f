/** Tests that the clients of the official SDKs list the rows of a large table, and read a row. */

import { assertEquals } from "@std/assert";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { mcpHandler, McpServer } from "@parley/mcp/server";
import { registerRows, ROWS } from "../../mcp/testdata/table_rows.ts";

const INFO = { name: "interop", version: "1.0.0" };

interface Page {
  readonly resources: readonly { readonly uri: string }[];
  readonly nextCursor?: string | undefined;
}

/** The part of the clients that the tests use. */
interface Reader {
  readonly listResources: (params?: { readonly cursor: string }) => Promise<Page>;
  readonly readResource: (
    params: { readonly uri: string },
  ) => Promise<{ readonly contents: readonly object[] }>;
  readonly close: () => Promise<void>;
}

const READERS: Readonly<Record<string, (url: URL) => Promise<Reader>>> = {
  "SDK v1": async (url) => {
    const client = new ClientV1(INFO);
    await client.connect(new TransportV1(url));
    return client;
  },
  "SDK v2": (url) => connectV2(url, "auto"),
  "SDK v2, legacy": (url) => connectV2(url, "legacy"),
};

/** Connects a client that itself requests all pages, by default at most 64. */
async function connectV2(url: URL, mode: "auto" | "legacy"): Promise<Reader> {
  const client = new Client(INFO, { versionNegotiation: { mode }, listMaxPages: 200 });
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}

function createServer(): McpServer {
  const server = new McpServer({ name: "table", version: "1.0.0" });
  server.registerResource({ uri: "db:///schema", name: "schema" }, () => "id");
  registerRows(server);
  return server;
}

for (const [name, connect] of Object.entries(READERS)) {
  Deno.test(`${name} lists ${ROWS} rows of a template, and reads one`, async () => {
    const handler = mcpHandler(createServer());
    const web = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => handler(request),
    );
    const reader = await connect(new URL(`http://127.0.0.1:${web.addr.port}/mcp`));
    const uris: string[] = [];
    let page = await reader.listResources();
    for (const { uri } of page.resources) uris.push(uri);
    while (page.nextCursor !== undefined) {
      page = await reader.listResources({ cursor: page.nextCursor });
      for (const { uri } of page.resources) uris.push(uri);
    }
    assertEquals([uris.length, new Set(uris).size], [ROWS + 1, ROWS + 1]);
    assertEquals([uris[0], uris[1], uris.at(-1)], [
      "db:///schema",
      "db:///rows/1",
      "db:///rows/100000",
    ]);
    const { contents } = await reader.readResource({ uri: "db:///rows/77777" });
    assertEquals(contents, [{ uri: "db:///rows/77777", text: "row 77777" }]);
    await reader.close();
    await handler.close();
    await web.shutdown();
  });
}
