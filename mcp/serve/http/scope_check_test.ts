import { assertEquals, assertRejects } from "@std/assert";
import { HttpTransport, McpClient } from "../../client.ts";
import { resourceServer } from "../../auth.ts";
import { type HttpContext, mcpHandler } from "../../server.ts";
import { McpError } from "../../shared/error.ts";
import type { Principal } from "../../server/exchange_context.ts";
import { McpServer } from "../../server/mcp_server.ts";
import { modern, post, SessionByHand } from "../../testdata/http.ts";

function guarded(onError: (error: unknown) => void = () => {}): McpServer {
  const server = new McpServer({ name: "guarded", version: "1", onError });
  server.registerTool({ name: "look", description: "" }, () => "seen");
  server.registerTool(
    { name: "write", description: "", scopes: ["files", "write"] },
    () => "written",
  );
  return server;
}

const WRITER: Principal = { subject: "ada", scopes: ["write", "files", "more"] };
const READER: Principal = { subject: "bob", scopes: ["files"] };

/** Test cases: tool name, principal, expected status and expected challenge. */
const CALLS: readonly (readonly [string, Principal | undefined, number, string | null])[] = [
  ["look", undefined, 200, null],
  ["look", READER, 200, null],
  ["write", WRITER, 200, null],
  ["write", undefined, 401, 'Bearer scope="files write"'],
  ["write", READER, 403, 'Bearer error="insufficient_scope", scope="files write"'],
  ["write", { subject: "eve" }, 403, 'Bearer error="insufficient_scope", scope="files write"'],
];

for (const [name, principal, status, challenge] of CALLS) {
  const context = principal === undefined ? {} : { principal };
  const who = principal?.subject ?? "an unauthenticated client";
  Deno.test(`a call to "${name}" by ${who} returns ${status} to modern and legacy clients`, async () => {
    const handler = mcpHandler(guarded());
    const legacy = mcpHandler(guarded(), { sessions: false });
    const params = { name, arguments: {} };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    for (
      const response of [
        await handler(modern("tools/call", params), context),
        await legacy(post(call, { "mcp-protocol-version": "2025-11-25" }), context),
      ]
    ) {
      assertEquals(response.status, status);
      assertEquals(response.headers.get("www-authenticate"), challenge);
      await response.body?.cancel();
    }
    await handler.close();
    await legacy.close();
  });
}

/**
 * Calls the tool `write` twice with the given contexts. Returns the messages that the server
 * reports.
 */
async function reportedFor(...contexts: readonly (HttpContext | undefined)[]): Promise<string[]> {
  const messages: string[] = [];
  const handler = mcpHandler(guarded((error) => messages.push(String(error))));
  for (const name of ["look", "write", "write"]) {
    for (const context of contexts) {
      const response = await handler(modern("tools/call", { name, arguments: {} }), context);
      assertEquals(response.status, name === "look" ? 200 : 401);
      await response.body?.cancel();
    }
  }
  await handler.close();
  return messages;
}

const NO_PRINCIPAL =
  'Error: Cannot call tool "write": the tool has "scopes", but the HTTP handler ' +
  'received no principal; pass the principal with the "principal" option of toNodeListener() or ' +
  "in the second argument of the handler";

Deno.test("a server whose tool has scopes reports once that no principal is passed", async () => {
  assertEquals(await reportedFor(undefined), [NO_PRINCIPAL]);
  assertEquals(await reportedFor({ remoteAddr: {} }, undefined), [NO_PRINCIPAL]);
});

Deno.test("a server whose tool has scopes does not report unauthenticated requests", async () => {
  assertEquals(await reportedFor({ principal: undefined }), []);
});

Deno.test("a server behind resourceServer() does not report requests without a token", async () => {
  const messages: string[] = [];
  const handler = resourceServer(mcpHandler(guarded((error) => messages.push(String(error)))), {
    resource: "http://localhost/mcp",
    authorizationServers: ["https://login.example.com"],
    verify: () => Promise.resolve(undefined),
  });
  const params = { name: "write", arguments: {} };
  const response = await handler(modern("tools/call", params));
  assertEquals([response.status, messages], [401, []]);
  await response.body?.cancel();
});

Deno.test("a batch is rejected if one of its calls lacks a scope", async () => {
  const handler = mcpHandler(guarded());
  const session = await SessionByHand.open(handler, "2025-03-26");
  const call = (id: number, name: string) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: {} },
  });
  const response = await session.send([call(1, "look"), call(2, "write")]);
  assertEquals(response.status, 401);
  await response.body?.cancel();
  assertEquals((await session.send([call(1, "look")])).status, 200);
  await handler.close();
});

Deno.test("a tool's scopes are not listed and are checked only over HTTP", async () => {
  const server = guarded();
  const listed = await server.handleRequest({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  assertEquals(JSON.stringify(listed).includes("scopes"), false);
  const params = { name: "write", arguments: {} };
  const called = await server.handleRequest({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params,
  });
  assertEquals("result" in called, true);
});

Deno.test("the error of a call without a required scope names the scopes", async () => {
  const handler = mcpHandler(guarded());
  const client = new McpClient({
    transport: new HttpTransport("http://localhost/mcp", {
      fetch: (url, init) => handler(new Request(url, init), { principal: READER }),
    }),
  });
  await client.connect();
  const error = await assertRejects(() => client.callTool("write", {}), McpError);
  const reason = 'Insufficient scope: requires scope="files write" (HTTP 403)';
  assertEquals(error.code, "auth_error");
  assertEquals(error.details, { reason, scope: "files write" });
  await client.disconnect();
  await handler.close();
});

/** Values that JavaScript programs pass as a principal by mistake. */
const ODD_PRINCIPALS: readonly (readonly [string, unknown])[] = [
  ["scopes as a string", { subject: "eve", scopes: "rewrite,profiles files write" }],
  ["a scope that is not a string", { subject: "eve", scopes: ["write", "files", 1] }],
  ["a promise", Promise.resolve({ subject: "ada", scopes: ["write", "files"] })],
  ["no subject", { scopes: ["write", "files"] }],
  ["true", true],
  ["null", null],
  ["false", false],
];

for (const [title, principal] of ODD_PRINCIPALS) {
  Deno.test(`a request whose principal is invalid (${title}) is rejected and reported`, async () => {
    const reported: unknown[] = [];
    const server = guarded((error) => reported.push(error));
    const calls: string[] = [];
    server.registerTool({ name: "who" }, (_args, { principal }) => {
      calls.push(String(principal?.subject));
      return "known";
    });
    // The types do not permit the value, but programs in JavaScript can pass it.
    const context = { principal: principal as Principal };
    const handler = mcpHandler(server);
    for (const name of ["write", "who"]) {
      const params = { name, arguments: {} };
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      for (const request of [modern("tools/call", params), post(call)]) {
        const response = await handler(request, context);
        assertEquals(response.status, 500);
        await response.body?.cancel();
      }
    }
    assertEquals(calls, []);
    assertEquals(reported.map((error) => error instanceof TypeError), Array(4).fill(true));
    await handler.close();
  });
}

Deno.test("the scopes of a tool that replaces the called tool are checked before it runs", async () => {
  const started = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const server = new McpServer({
    name: "guarded",
    version: "1",
    around: async (_request, next) => {
      started.resolve();
      await released.promise;
      return await next();
    },
  });
  const calls: string[] = [];
  server.registerTool({ name: "run" }, () => calls.push("old"));
  const handler = mcpHandler(server);
  const legacy = mcpHandler(server, { sessions: false });
  const params = { name: "run", arguments: {} };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const responses = [
    handler(modern("tools/call", params), { principal: READER }),
    handler(modern("tools/call", params), { principal: undefined }),
    legacy(post(call), { principal: READER }),
    handler(modern("tools/call", params), { principal: { subject: "root", scopes: ["admin"] } }),
  ];
  await started.promise;
  server.removeTool("run");
  server.registerTool({ name: "run", scopes: ["admin"] }, () => calls.push("new"));
  released.resolve();
  const texts = await Promise.all(responses.map(async (response) => await (await response).text()));
  const refusal = /"code":-32602,"message":"Insufficient scope: requires scope=\\"admin\\""/;
  assertEquals(texts.map((text) => refusal.test(text)), [true, true, true, false]);
  assertEquals(calls, ["new"]);
  await handler.close();
  await legacy.close();
});
