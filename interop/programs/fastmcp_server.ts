/**
 * A server built with `fastmcp`. The server uses stdio or, if the command-line argument is a port,
 * HTTP on that port.
 *
 * @module
 */

import { FastMCP } from "fastmcp";
import { z } from "zod";

const server = new FastMCP({ name: "fastmcp", version: "1.0.0" });
server.addTool({
  name: "add",
  description: "Adds",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => Promise.resolve(`${a + b}`),
});
server.addTool({
  name: "fail",
  description: "Fails",
  execute: () => Promise.reject(new Error("It went wrong")),
});
server.addTool({
  name: "report",
  description: "Reports",
  execute: async (_args, { reportProgress, log }) => {
    for (const progress of [1, 2, 3]) {
      log.info("reporting", { progress });
      await reportProgress({ progress, total: 3 });
    }
    return "reported";
  },
});
server.addTool({
  name: "wait",
  description: "Waits",
  execute: () => new Promise<string>((resolve) => setTimeout(resolve, 60_000, "too long")),
});
server.addResource({
  uri: "note://welcome",
  name: "Welcome",
  mimeType: "text/plain",
  load: () => Promise.resolve({ text: "Welcome" }),
});
server.addResourceTemplate({
  uriTemplate: "note://by/{author}",
  name: "Notes",
  arguments: [{ name: "author", required: true }],
  load: ({ author }) => Promise.resolve({ text: `By ${author}` }),
});
server.addPrompt({
  name: "greet",
  arguments: [{
    name: "name",
    required: true,
    complete: (value) =>
      Promise.resolve({ values: ["Ada", "Alan"].filter((name) => name.startsWith(value)) }),
  }],
  load: ({ name }) => Promise.resolve(`Greet ${name}.`),
});

const [port] = Deno.args;
await server.start(
  port === undefined
    ? { transportType: "stdio" }
    : { transportType: "httpStream", httpStream: { port: Number(port), host: "127.0.0.1" } },
);
