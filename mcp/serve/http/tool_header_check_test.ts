import { assertEquals } from "@std/assert";
import { type HttpHandler, mcpHandler, McpServer } from "../../server.ts";
import { modern, post, SessionByHand } from "../../testdata/http.ts";

/** A server that replaces the tool of a call before the call runs. */
function changing(
  replacement: { readonly mirrored: string; readonly scopes: readonly string[] },
): { readonly server: McpServer; readonly calls: string[] } {
  const calls: string[] = [];
  const register = (mirrored: string, scopes: readonly string[]): void => {
    const properties = { [mirrored]: { type: "string", "x-mcp-header": "Region" } };
    const inputSchema = { type: "object", properties };
    server.registerTool({ name: "run", inputSchema, scopes }, () => calls.push(mirrored));
  };
  const server: McpServer = new McpServer({
    name: "s",
    version: "1",
    around: async (request, next) => {
      if (request.method === "tools/call" && server.removeTool("run")) {
        register(replacement.mirrored, replacement.scopes);
      }
      return await next();
    },
  });
  register("region", []);
  return { server, calls };
}

const CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "run", arguments: { region: "eu", zone: "us" } },
};

const HEADERS = { "mcp-param-region": "eu" };

/** Sends a call in each way that HTTP permits. */
const WAYS: Readonly<Record<string, (handler: HttpHandler) => Promise<Response>>> = {
  modern: (handler) => handler(modern("tools/call", CALL.params, HEADERS)),
  "without a session": (handler) => handler(post(CALL, HEADERS)),
  "in a session": async (handler) => await (await SessionByHand.open(handler)).send(CALL, HEADERS),
  "in a batch": async (handler) =>
    await (await SessionByHand.open(handler, "2025-03-26")).send([CALL], HEADERS),
};

for (const [way, send] of Object.entries(WAYS)) {
  Deno.test(`the headers and scopes of a tool that replaces the called tool are checked (${way})`, async () => {
    for (
      const { replacement, expected, code } of [
        { replacement: { mirrored: "region", scopes: [] }, expected: ["region"], code: undefined },
        { replacement: { mirrored: "zone", scopes: [] }, expected: [], code: -32020 },
        { replacement: { mirrored: "region", scopes: ["admin"] }, expected: [], code: -32602 },
      ]
    ) {
      const { server, calls } = changing(replacement);
      const handler = mcpHandler(server, way === "without a session" ? { sessions: false } : {});
      const text = await (await send(handler)).text();
      const found = /"code":(-\d+)/.exec(text)?.[1];
      assertEquals([found && Number(found), calls], [code, expected]);
      await handler.close();
    }
  });
}
