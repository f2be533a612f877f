import process from "node:process";
import { createMemoryTransport, servePipe } from "@parley/mcp";
import { HttpTransport, McpClient } from "@parley/mcp/client";
import { spawnServer } from "@parley/mcp/process";
import { createExampleServer } from "./example_server.ts";
import { listServer } from "./list_server.ts";

const [target, ...args] = process.argv.slice(2);

function createTransport() {
  if (target === undefined) {
    return createMemoryTransport((pipe) => servePipe(createExampleServer(), pipe));
  }
  return URL.canParse(target) ? new HttpTransport(target) : spawnServer(target, args);
}

const client = new McpClient({ transport: createTransport() });
await client.connect();
try {
  for (const line of await listServer(client)) console.log(line);
} finally {
  await client.disconnect();
}
