/**
 * The `@parley/mcp` stdio server.
 *
 * @module
 */

import { McpServer, serveStdio } from "@parley/mcp/server";
import { add, INFO, zodSchema } from "./tool.ts";

const server = new McpServer(INFO);
const inputSchema = await zodSchema();
server.registerTool({ name: "add", description: "Adds", inputSchema }, add);
await serveStdio(server);
