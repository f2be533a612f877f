/**
 * Serves the gateway over stdio, in front of `everything_stdio.ts`, which runs in a child process.
 * The argument `legacy` or `modern` selects the protocol era between the gateway and the child
 * process.
 *
 * @module
 */

import { McpClient, serveStdio } from "@parley/mcp";
import { mcpGateway } from "@parley/mcp/gateway";
import { spawnServer } from "@parley/mcp/process";
import { clientTasks } from "@parley/mcp/tasks";

const program = new URL("everything_stdio.ts", import.meta.url).pathname;
const client = new McpClient({
  transport: spawnServer("deno", ["run", "-A", program], { stderr: "inherit" }),
  protocol: Deno.args[0] === "legacy" ? "legacy" : "modern",
  capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
  extensions: [clientTasks()],
});
const gateway = await mcpGateway({
  name: "parley-everything",
  version: "1.0.0",
  upstreams: { everything: { client, prefix: "" } },
});
await serveStdio(gateway.server, { exit: false });
await gateway.close();
