/**
 * An agent calls an HTTP API whose operations become tools.
 *
 *     deno run --allow-net=127.0.0.1 examples/openapi_tools/main.ts
 *
 * @module
 */

import { openApiTools } from "@parley/mcp/openapi";
import { ToolLoopAgent } from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";

/** An API that accepts only requests with the right token. */
const http = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
  if (request.headers.get("authorization") !== "Bearer 7f3a9c") {
    return new Response(null, { status: 401 });
  }
  const { pathname, search } = new URL(request.url);
  console.log(request.method, pathname + search);
  if (request.method === "POST") return Response.json(await request.json(), { status: 201 });
  return Response.json(search === "" ? { id: "7", total: 30 } : { orders: ["7"] });
});

// A program usually reads the document from a file with JSON.parse().
const document = {
  openapi: "3.1.0",
  info: { title: "Orders", version: "1.0.0" },
  paths: {
    "/orders": {
      get: {
        operationId: "listOrders",
        summary: "Lists the orders of a customer",
        parameters: [{ name: "filter[customer]", in: "query", schema: { type: "string" } }],
      },
      delete: { operationId: "deleteOrders" },
    },
    "/orders/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { operationId: "getOrder", summary: "Returns an order" },
    },
    "/orders/{id}/refunds": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      post: {
        operationId: "refund",
        summary: "Refunds an order",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", properties: { amount: { type: "number" } } },
            },
          },
        },
      },
    },
  },
};

const api = openApiTools(document, {
  baseUrl: `http://127.0.0.1:${http.addr.port}/v1`,
  operations: ["listOrders", "getOrder", "refund"],
  headers: () => ({ authorization: "Bearer 7f3a9c" }),
});

const model = scriptedModel([
  { calls: [{ toolName: "listOrders", input: { filter_customer_: "Ada" } }] },
  { calls: [{ toolName: "getOrder", input: { id: "7" } }] },
  { calls: [{ toolName: "refund", input: { id: "7", body: { amount: 30 } } }] },
  { text: "The order of Ada is refunded." },
]);
await using agent = new ToolLoopAgent({ name: "support", model });
await agent.registry.registerMcp(api, { trustHints: true });

const { finalText } = await agent.run("Refund the order of Ada.");
console.log(finalText);
await http.shutdown();
