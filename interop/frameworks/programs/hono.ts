import process from "node:process";
import { serve } from "@hono/node-server";
import { mcpHandler } from "@parley/mcp/server";
import { Hono } from "hono";
import { createServer } from "./server.ts";

const handler = mcpHandler(createServer());
const app = new Hono();
app.all("/mcp", (context) => handler(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 8000), hostname: "127.0.0.1" });
