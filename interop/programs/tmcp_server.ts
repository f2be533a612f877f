/**
 * A server built with `tmcp`, on stdio.
 *
 * @module
 */

import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { StdioTransport } from "@tmcp/transport-stdio";
import { McpServer } from "tmcp";
import { complete, prompt, resource, tool } from "tmcp/utils";
import { z } from "zod";

const server = new McpServer({ name: "tmcp", version: "1.0.0", description: "Adds" }, {
  adapter: new ZodJsonSchemaAdapter(),
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true },
    completions: {},
    logging: {},
  },
});
server.tool({
  name: "add",
  description: "Adds",
  schema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
}, ({ a, b }) => tool.structured({ sum: a + b }));
server.tool({ name: "fail", description: "Fails" }, () => tool.error("It went wrong"));
server.tool({ name: "report", description: "Reports" }, () => {
  for (const progress of [1, 2, 3]) server.progress(progress, 3);
  return tool.text("reported");
});
server.tool(
  { name: "wait", description: "Waits" },
  () => new Promise((resolve) => setTimeout(resolve, 500, tool.text("too long"))),
);
server.resource(
  { name: "Welcome", description: "Welcomes", uri: "note://welcome" },
  (uri) => resource.text(uri, "Welcome", "text/plain"),
);
server.template({
  name: "Notes",
  description: "Notes",
  uri: "note://by/{author}",
  complete: {
    author: (value) => complete.values(["Ada", "Alan"].filter((name) => name.startsWith(value))),
  },
}, (uri, { author }) => resource.text(uri, `By ${author}`, "text/plain"));
server.prompt({
  name: "greet",
  description: "Greets",
  schema: z.object({ name: z.string() }),
  complete: {
    name: (value) => complete.values(["Ada", "Alan"].filter((name) => name.startsWith(value))),
  },
}, ({ name }) => prompt.message(`Greet ${name}.`));
new StdioTransport(server).listen();
