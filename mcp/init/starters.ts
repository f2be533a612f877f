/**
 * Starters of the command `init`, which `tools/release/embed_starters.ts` generates from
 * `examples/starters`.
 *
 * @module
 */

import type { Starters } from "@parley/internal/create-project";

const SERVER: Readonly<Record<string, string>> = {
  "README.md": `\
# An MCP server

\`server.ts\` creates the server with its tools and resources, and \`main.ts\` serves it over standard
input and standard output. \`server_test.ts\` tests the server with a client in the same process. A
client, such as Claude Code or Visual Studio Code, starts the server with the command
\`node /path/to/main.ts\`.

- Node.js: \`npm install\`, \`npm test\`, \`npm run check\`
- Deno: \`deno install\`, \`deno task test\`, \`deno task check\`
- Bun: \`bun install\`, \`bun test\`, \`bun run check\`
`,
  "main.ts": `\
import { serveStdio } from "@parley/mcp/server";
import { createServer } from "./server.ts";

// A client starts this program, and exchanges messages over standard input and standard output.
await serveStdio(createServer());
`,
  "server.ts": `\
import { McpServer } from "@parley/mcp/server";

/** Creates an MCP server with a tool and a resource. */
export function createServer(): McpServer {
  const server = new McpServer({ name: "calendar", version: "1.0.0" });
  server.registerTool(
    {
      name: "weekday",
      description: "Returns the day of the week of a date",
      inputSchema: {
        type: "object",
        properties: { date: { type: "string", format: "date" } },
        required: ["date"],
      },
    },
    ({ date }: { date: string }) =>
      new Date(date).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" }),
  );
  server.registerResource(
    { uri: "calendar://weekend", name: "weekend", mimeType: "text/plain" },
    () => "Saturday, Sunday",
  );
  return server;
}
`,
  "server_test.ts": `\
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createMemoryTransport, McpClient, servePipe } from "@parley/mcp";
import { createServer } from "./server.ts";

test("a client calls the tool of the server and reads its resource", async () => {
  const server = createServer();
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  try {
    const { content } = await client.callTool("weekday", { date: "2026-07-28" });
    deepStrictEqual(content, [{ type: "text", text: "Tuesday" }]);
    const { contents } = await client.getResource("calendar://weekend");
    deepStrictEqual(contents.map(({ uri }) => uri), ["calendar://weekend"]);
  } finally {
    await client.disconnect();
  }
});
`,
};

const CLIENT: Readonly<Record<string, string>> = {
  "README.md": `\
# An MCP client

\`main.ts\` lists the tools and resources of a server. Pass \`main.ts\` the URL of a server or the
command that starts a server, such as \`npx -y @modelcontextprotocol/server-everything\`. Without
arguments, the client uses the server in \`example_server.ts\`. \`client_test.ts\` tests the client with
the server in \`example_server.ts\`.

- Node.js: \`npm install\`, \`npm start\`, \`npm test\`, \`npm run check\`
- Deno: \`deno install\`, \`deno task start\`, \`deno task test\`, \`deno task check\`
- Bun: \`bun install\`, \`bun main.ts\`, \`bun test\`, \`bun run check\`
`,
  "client_test.ts": `\
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createMemoryTransport, servePipe } from "@parley/mcp";
import { McpClient } from "@parley/mcp/client";
import { createExampleServer } from "./example_server.ts";
import { listServer } from "./list_server.ts";

test("the client lists the tools and resources of a server, and calls a tool", async () => {
  const server = createExampleServer();
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  try {
    deepStrictEqual(await listServer(client), [
      "tool greet: Greets a person",
      "resource motto: example://motto",
    ]);
    const { content } = await client.callTool("greet", { person: "Ada" });
    deepStrictEqual(content, [{ type: "text", text: "Hello, Ada!" }]);
  } finally {
    await client.disconnect();
  }
});
`,
  "example_server.ts": `\
import { McpServer } from "@parley/mcp/server";

/** Creates the server that the client uses if the command line does not name a server. */
export function createExampleServer(): McpServer {
  const server = new McpServer({ name: "example", version: "1.0.0" });
  server.registerTool(
    { name: "greet", description: "Greets a person" },
    ({ person }) => \`Hello, \${person}!\`,
  );
  server.registerResource({ uri: "example://motto", name: "motto" }, () => "Simple is better");
  return server;
}
`,
  "list_server.ts": `\
import type { McpClient } from "@parley/mcp/client";

/** Returns one line for each tool and each resource of the server. */
export async function listServer(client: McpClient): Promise<string[]> {
  const tools = await client.listTools();
  const resources = await client.listResources();
  return [
    ...tools.map(({ name, description = "" }) => \`tool \${name}: \${description}\`),
    ...resources.map(({ name, uri }) => \`resource \${name}: \${uri}\`),
  ];
}
`,
  "main.ts": `\
import process from "node:process";
import { createMemoryTransport, servePipe } from "@parley/mcp";
import { HttpTransport, McpClient } from "@parley/mcp/client";
import { spawnServer } from "@parley/mcp/process";
import { createExampleServer } from "./example_server.ts";
import { listServer } from "./list_server.ts";

const [target, ...args] = process.argv.slice(2);

function createTransport() {
  if (target === undefined) {
    return createMemoryTransport((pipe) => servePipe(createExampleServer(), pipe));
  }
  return URL.canParse(target) ? new HttpTransport(target) : spawnServer(target, args);
}

const client = new McpClient({ transport: createTransport() });
await client.connect();
try {
  for (const line of await listServer(client)) console.log(line);
} finally {
  await client.disconnect();
}
`,
};

/** The starters of this package. */
export const STARTERS: Starters = {
  packageName: "@parley/mcp",
  version: "0.1.0",
  kinds: new Map([["server", SERVER], ["client", CLIENT]]),
};
