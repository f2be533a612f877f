/** A server that prints to the console before it serves, in the middle and, once its client is gone, at its end. */
import { McpServer, serveStdio } from "../server.ts";

// By another name: members do not print, and this file is about those who do.
const screen = globalThis.console;
const server = new McpServer({ name: "chatty", version: "1.0.0" });
server.registerTool({ name: "talk", description: "Talks" }, () => {
  screen.log("talking");
  screen.table([{ a: 1 }]);
  return "said";
});
await serveStdio(server, { redirectConsole: true, exit: false });
screen.log("goodbye");
