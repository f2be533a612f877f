import { openApiTools } from "@parley/mcp/openapi";
import { ToolLoopAgent } from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { assertEquals, assertStringIncludes } from "@std/assert";

const TOKEN = "sk-0123456789abcdef";

const DOCUMENT = {
  openapi: "3.1.0",
  paths: {
    "/items/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { operationId: "getItem" },
      delete: { operationId: "deleteItem" },
    },
    "/items": {
      post: {
        operationId: "createItem",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", required: ["name"], properties: { name: {} } },
            },
          },
        },
      },
    },
  },
};

/** Serves an API that repeats the token of a request for the item `echo`. */
function serveItems(seen: string[]) {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    seen.push(`${request.method} ${pathname} ${await request.text()}`.trim());
    if (pathname.endsWith("/echo")) {
      return Response.json({ echo: request.headers.get("authorization") }, { status: 403 });
    }
    return Response.json({ path: pathname });
  });
}

Deno.test("an agent calls operations, and reads their errors without the credentials", async () => {
  const seen: string[] = [];
  await using http = serveItems(seen);
  const api = openApiTools(DOCUMENT, {
    baseUrl: `http://127.0.0.1:${http.addr.port}/v1`,
    operations: ["getItem", "deleteItem", "createItem"],
    headers: () => ({ authorization: `Bearer ${TOKEN}` }),
  });
  const model = scriptedModel([
    {
      calls: [
        { toolName: "getItem", input: { id: "a/b" } },
        { toolName: "getItem", input: { id: ".." } },
        { toolName: "getItem", input: { id: "echo" } },
        { toolName: "createItem", input: { body: {} } },
        { toolName: "createItem", input: { body: { name: "c" } } },
      ],
    },
    { text: "done" },
  ]);
  await using agent = new ToolLoopAgent({ name: "a", model });
  await agent.registry.registerMcp(api, { trustHints: true });
  assertEquals(agent.registry.get("deleteItem")?.annotations, {
    readOnly: false,
    destructive: true,
    idempotent: true,
    openWorld: true,
  });

  const { iterations, finalText } = await agent.run("Go");
  const outputs = iterations[0]?.toolResults.map(({ output }) => output) ?? [];
  assertEquals(outputs[0], { type: "json", value: { path: "/v1/items/a%2Fb" } });
  assertEquals(outputs[1]?.type, "error-text");
  assertEquals(outputs[2], { type: "error-text", value: 'HTTP 403: {"echo":"..."}' });
  assertStringIncludes(JSON.stringify(outputs[3]), "/body");
  assertEquals(outputs[4], { type: "json", value: { path: "/v1/items" } });
  assertEquals(seen.toSorted(), [
    "GET /v1/items/a%2Fb",
    "GET /v1/items/echo",
    'POST /v1/items {"name":"c"}',
  ]);
  assertEquals(finalText, "done");
});

Deno.test("the request of a tool ends when the run is aborted", async () => {
  const requested = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  await using http = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async () => {
    requested.resolve();
    await ended.promise;
    return new Response();
  });
  const api = openApiTools(DOCUMENT, {
    baseUrl: `http://127.0.0.1:${http.addr.port}`,
    operations: ["getItem"],
    fetch: (url, init) => {
      init.signal?.addEventListener("abort", () => ended.resolve());
      return fetch(url, init);
    },
  });
  const model = scriptedModel([{ calls: [{ toolName: "getItem", input: { id: "1" } }] }]);
  await using agent = new ToolLoopAgent({ name: "a", model });
  await agent.registry.registerMcp(api);
  const controller = new AbortController();
  const run = agent.run("Go", { signal: controller.signal });
  await requested.promise;
  controller.abort();
  const { stopReason } = await run;
  assertEquals(stopReason, "aborted");
  await ended.promise;
});
