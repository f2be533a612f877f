/**
 * An MCP server with a tool, resources, a resource template and a prompt. A client program starts
 * the server and communicates over standard input and standard output. The following command lists
 * the tools and resources:
 *
 *     deno run -A examples/mcp_client/main.ts deno run examples/mcp_server/main.ts
 *
 * @module
 */

import { McpServer, serveStdio } from "@parley/mcp/server";
import { z } from "zod";

const RECIPES = new Map([
  ["bread", "500 g flour, 350 g water, 10 g salt, 5 g yeast"],
  ["pancakes", "200 g flour, 400 g milk, 3 eggs"],
]);

const server = new McpServer({
  name: "kitchen",
  version: "1.0.0",
  instructions: "Use the server's recipes, and scale them for the number of guests.",
});

server.registerTool({
  name: "scale",
  description: "Multiplies the amounts in a recipe",
  inputSchema: z.object({ recipe: z.string(), factor: z.number().positive() }),
  annotations: { readOnlyHint: true },
}, ({ recipe, factor }) => {
  const text = RECIPES.get(recipe);
  // The model receives the error message and can correct its call.
  if (text === undefined) throw new Error(`Unknown recipe "${recipe}"`);
  return text.replaceAll(/\d+/g, (amount) => `${Number(amount) * factor}`);
});

server.registerResource({
  uri: "recipes:///index",
  name: "index",
  description: "Names of the recipes",
  mimeType: "text/plain",
}, () => [...RECIPES.keys()].join("\n"));

// The handler returns `undefined` for a recipe that does not exist. Clients can request completions
// of the name.
server.registerResourceTemplate(
  { uriTemplate: "recipes:///{name}", name: "recipe", description: "The text of a recipe" },
  (_uri, { name }) => RECIPES.get(`${name}`),
  { complete: { name: (typed) => [...RECIPES.keys()].filter((name) => name.startsWith(typed)) } },
);

server.registerPrompt({
  name: "plan_dinner",
  description: "Plans a dinner with the recipes of the server",
  arguments: [{ name: "guests", description: "Number of guests", required: true }],
}, ({ guests }) => `Plan a dinner for ${guests} guests with the recipes of this server.`);

await serveStdio(server);
