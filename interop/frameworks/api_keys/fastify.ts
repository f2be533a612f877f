import process from "node:process";
import fastify from "fastify";
import { toNodeListener } from "@parley/mcp/node";
import { mcpHandler } from "@parley/mcp/server";
import { createServer, keys } from "./server.ts";

const listener = toNodeListener(mcpHandler(createServer()), {
  principal: ({ headers }) => keys.get(String(headers["x-api-key"])),
});
const app = fastify();
app.addHook("onRequest", async (request, reply) => {
  if (keys.has(String(request.headers["x-api-key"]))) return;
  await reply.code(401).send("Unknown API key");
});
app.all("/mcp", (request, reply) => {
  reply.hijack();
  return listener(request.raw, reply.raw, request.body);
});
await app.listen({ port: Number(process.env.PORT ?? 8000), host: "127.0.0.1" });
