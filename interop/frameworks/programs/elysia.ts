import process from "node:process";
import { mcpHandler } from "@parley/mcp/server";
import { Elysia } from "elysia";
import { createServer } from "./server.ts";

const handler = mcpHandler(createServer(), { keepAliveMs: 5000 });
new Elysia()
  .all("/mcp", ({ request }) => handler(request), { parse: "none" })
  .listen({ port: Number(process.env.PORT ?? 8000), hostname: "127.0.0.1" });
