/** An MCP client without a driver, which lists its server's tools and exits. */

import { McpClient } from "@parley/mcp";
import { spawnServer } from "@parley/mcp/process";

const [command = "", ...args] = JSON.parse(Deno.env.get("PARLEY_PEER_COMMAND") ?? "[]");
const client = new McpClient({ transport: spawnServer(command, args) });
await client.connect();
await client.listTools();
await client.disconnect();
