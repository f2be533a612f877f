import { assertEquals } from "@std/assert";
import { createServer, type Server } from "node:http";
import express from "express";
import fastify from "fastify";
import { HttpTransport, McpClient } from "@parley/mcp/client";
import { type NodeListener, toNodeListener } from "@parley/mcp/node";
import { mcpHandler } from "@parley/mcp/server";
import { createServer as createMcpServer } from "../server.ts";

/**
 * Applications that serve a listener at `/mcp`. Each function returns an HTTP server that is not
 * listening yet.
 */
const APPLICATIONS: Readonly<Record<string, (listener: NodeListener) => Promise<Server>>> = {
  "Express without a body parser": (listener) => {
    const app = express();
    app.all("/mcp", listener);
    return Promise.resolve(createServer(app));
  },
  "Express with express.json()": (listener) => {
    const app = express();
    app.use(express.json());
    app.all("/mcp", listener);
    return Promise.resolve(createServer(app));
  },
  "Express with a mounted router and express.raw()": (listener) => {
    const app = express();
    app.use(express.raw({ type: "*/*" }));
    app.use("/mcp", listener);
    return Promise.resolve(createServer(app));
  },
  "Fastify with the parsed body": async (listener) => {
    const app = fastify();
    app.all("/mcp", (request, reply) => {
      reply.hijack();
      return listener(request.raw, reply.raw, request.body);
    });
    await app.ready();
    return app.server;
  },
};

for (const [name, createApplication] of Object.entries(APPLICATIONS)) {
  for (const era of ["legacy", "modern"] as const) {
    Deno.test(`toNodeListener() serves a ${era} client behind ${name}`, async () => {
      const handler = mcpHandler(createMcpServer());
      const http = await createApplication(toNodeListener(handler));
      const client = new McpClient({
        transport: new HttpTransport(await listen(http)),
        protocol: era,
      });
      try {
        await client.connect();
        for (let n = 0; n < 2; n++) {
          const { content } = await client.callTool("echo", { text: "été" });
          assertEquals(content, [{ type: "text", text: "été" }]);
        }
      } finally {
        await client.disconnect();
        await handler.close();
        await close(http);
      }
    });
  }
}

Deno.test("toNodeListener() responds immediately behind Fastify if the parsed body is not passed", async () => {
  const reported: unknown[] = [];
  const handler = mcpHandler(createMcpServer());
  const listener = toNodeListener(handler, { onError: (error) => reported.push(error) });
  const app = fastify();
  app.all("/mcp", (request, reply) => {
    reply.hijack();
    return listener(request.raw, reply.raw);
  });
  await app.ready();
  const response = await fetch(await listen(app.server), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  assertEquals([response.status, reported.length], [500, 1]);
  await response.body?.cancel();
  await handler.close();
  await close(app.server);
});

async function listen(http: Server): Promise<string> {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/mcp`;
}

async function close(http: Server): Promise<void> {
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
}
