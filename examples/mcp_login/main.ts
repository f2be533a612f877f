/**
 * Uses a server that requires authorization. The first run opens the browser. Tokens are stored in
 * a file that only its owner can read, so later runs need no login.
 *
 *     deno run -A examples/mcp_login/main.ts https://mcp.example.com/mcp
 *
 * @module
 */
import { McpClient } from "@parley/mcp/client";
import { fileStore } from "@parley/mcp/auth/file";
import { openLoopback } from "@parley/mcp/auth/loopback";

const [url] = Deno.args;
if (url === undefined || !URL.canParse(url)) {
  console.error("Usage: main.ts URL");
  Deno.exit(2);
}
const file = `${Deno.env.get("HOME") ?? "."}/.parley-login.json`;

const { redirectUri, authorize, close } = await openLoopback({ port: 8910 });
const client = new McpClient({
  transport: { type: "http", url },
  auth: { discover: true, redirectUri, authorize, store: fileStore(file), clientName: "mcp_login" },
});
try {
  await client.connect();
  for (const tool of await client.listTools()) console.log(`${tool.name}: ${tool.description}`);
} finally {
  await client.disconnect();
  await close();
}
