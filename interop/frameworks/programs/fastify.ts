import process from "node:process";
import fastify from "fastify";
import { toNodeListener } from "@parley/mcp/node";
import { mcpHandler } from "@parley/mcp/server";
import { createServer } from "./server.ts";

const listener = toNodeListener(mcpHandler(createServer()));
const app = fastify({ bodyLimit: 4 * 1024 * 1024 });
app.all("/mcp", (request, reply) => {
  reply.hijack();
  return listener(request.raw, reply.raw, request.body);
});
await app.listen({ port: Number(process.env.PORT ?? 8000), host: "127.0.0.1" });
