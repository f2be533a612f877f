import process from "node:process";
import { mcpHandler } from "@parley/mcp/server";
import { createServer } from "./server.ts";

const handler = mcpHandler(createServer(), { keepAliveMs: 5000 });
export default {
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 8000),
  fetch: (request: Request) => handler(request),
};
