import process from "node:process";
import { serve } from "@hono/node-server";
import { mcpHandler } from "@parley/mcp/server";
import { Hono } from "hono";
import { createServer, keys } from "./server.ts";

const handler = mcpHandler(createServer());
const app = new Hono();
app.all("/mcp", async (context) => {
  const principal = keys.get(context.req.header("x-api-key") ?? "");
  if (principal === undefined) return context.text("Unknown API key", 401);
  return await handler(context.req.raw, { principal });
});
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 8000), hostname: "127.0.0.1" });
