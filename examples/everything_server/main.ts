/**
 * A Streamable HTTP server with every feature of the Model Context Protocol, for test suites and
 * experiments.
 *
 *     deno run --allow-net --allow-env examples/everything_server/main.ts --port 8000
 *
 * Prints `listening on URL` when the server is ready. Port 0 (default) selects a free port.
 *
 * @module
 */

import { mcpHandler, McpServer } from "@parley/mcp/server";
import { serverTasks } from "@parley/mcp/tasks";
import { addContentTools } from "./content_tools.ts";
import { addInputTools } from "./input_tools.ts";
import { addPrompts, addResources } from "./resources_and_prompts.ts";
import { loadSkills } from "./skills.ts";
import { addTaskTools } from "./task_tools.ts";

/** Creates the server. */
export async function createServer(): Promise<McpServer> {
  const tasks = serverTasks({ pollIntervalMs: 200 });
  const instructions = "Supports every feature of the protocol, for tests.";
  const info = { name: "parley-everything", version: "1.0.0", instructions };
  const server = new McpServer({ ...info, extensions: [tasks, await loadSkills()] });
  for (const add of [addContentTools, addInputTools, addResources, addPrompts]) add(server);
  addTaskTools(server, tasks);
  return server;
}

if (import.meta.main) {
  const [flag = "--port", port = "0"] = Deno.args;
  if (flag !== "--port" || !/^\d+$/.test(port) || Number(port) > 65_535) {
    console.error("Usage: main.ts [--port NUMBER]");
    Deno.exit(2);
  }
  const handler = mcpHandler(await createServer(), { sessions: { retryMs: 500 } });
  const http = Deno.serve({
    port: Number(port),
    hostname: "127.0.0.1",
    onListen: ({ port }) => console.log(`listening on http://localhost:${port}/mcp`),
  }, (request) => handler(request));
  Deno.addSignalListener("SIGINT", async () => {
    await Promise.all([handler.close(), http.shutdown()]);
    Deno.exit(0);
  });
}
