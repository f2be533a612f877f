import { McpServer, serveStdio } from "../server.ts";

const server = new McpServer({ name: "adder", version: "1.0.0" });
server.registerTool({
  name: "add",
  description: "Adds two numbers",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
}, ({ a, b }: { a: number; b: number }) => `${a + b}`);
server.registerTool(
  { name: "repeat", description: "Repeats the given text" },
  ({ text, times }: { text: string; times: number }) => text.repeat(times),
);
// The running timer must not keep the process alive.
setInterval(() => {}, 60_000);
await serveStdio(server);
