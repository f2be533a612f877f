import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCommand } from "../testdata/command.ts";

/** Starts a server that declares all lists, and rejects two of them. */
function serveIncompleteLists() {
  const reply = (id: unknown, response: object) =>
    Response.json({ jsonrpc: "2.0", id, ...response });
  const http = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = await request.json();
      switch (method) {
        case "initialize": {
          const capabilities = { tools: {}, resources: {}, prompts: {} };
          const serverInfo = { name: "s", version: "1" };
          return reply(id, { result: { protocolVersion: "2025-06-18", capabilities, serverInfo } });
        }
        case "tools/list":
          return reply(id, { result: { tools: [{ name: "t", inputSchema: { type: "object" } }] } });
        case "prompts/list":
          return reply(id, { result: { prompts: [] } });
        case "resources/list":
          return reply(id, { error: { code: -32603, message: "disk\u001b[2J" } });
        default:
          return id === undefined
            ? new Response(null, { status: 202 })
            : reply(id, { error: { code: -32601, message: "Method not found" } });
      }
    },
  );
  return {
    url: `http://127.0.0.1:${http.addr.port}/mcp`,
    [Symbol.asyncDispose]: () => http.shutdown(),
  };
}

Deno.test("parley-mcp list prints the other lists if the server rejects a list", async () => {
  await using server = serveIncompleteLists();
  const { code, out, err } = await runCommand(["list", server.url, "--protocol", "legacy"]);
  assertEquals([code, out], [5, "Tools (1)\n  t()\n\nResource templates (0)\n\nPrompts (0)\n"]);
  assertEquals(
    err,
    "parley-mcp: warning: the server does not implement the list of templates\n" +
      'parley-mcp: Cannot complete request "resources/list": server returned error -32603: ' +
      "disk\\u{1b}[2J\n",
  );
  const json = await runCommand(["list", server.url, "--protocol", "legacy", "--json"]);
  assertEquals(Object.keys(JSON.parse(json.out)), ["tools", "templates", "prompts"]);
});

Deno.test("parley-mcp list succeeds without the resource templates, which many servers lack", async () => {
  await using server = serveIncompleteLists();
  const args = ["list", server.url, "tools", "templates", "--protocol", "legacy"];
  const { code, out } = await runCommand(args);
  assertEquals([code, out], [0, "Tools (1)\n  t()\n\nResource templates (0)\n"]);
});

Deno.test("parley-mcp list reports the rejected list if the reader of its output has ended", async () => {
  await using server = serveIncompleteLists();
  const closed = new AbortController();
  const { code, err } = await runCommand(["list", server.url, "--protocol", "legacy"], {
    signal: closed.signal,
    onOut: () => closed.abort(new Error("EPIPE")),
  });
  assertEquals(code, 5);
  assertStringIncludes(err, "server returned error -32603");
});
