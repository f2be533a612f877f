/**
 * A server that writes to the console before serving, during a call and after the client has
 * disconnected.
 */
import { McpServer, serveStdio } from "../server.ts";

// The alias avoids the lint rule against console output, which this test data needs.
const screen = globalThis.console;
const server = new McpServer({ name: "chatty", version: "1.0.0" });
server.registerTool({ name: "talk", description: "Talks" }, () => {
  screen.log("talking");
  screen.table([{ a: 1 }]);
  return "said";
});
await serveStdio(server, { redirectConsole: true, exit: false });
screen.log("goodbye");
