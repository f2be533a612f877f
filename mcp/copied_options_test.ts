import { assertEquals } from "@std/assert";
import { resourceServer } from "./auth.ts";
import { mcpHandler, McpServer, type ServerExtension } from "./server.ts";
import { modern } from "./testdata/http.ts";

const CALL = { name: "echo", arguments: {} };

function echoServer(scopes: string[] = [], extensions: ServerExtension[] = []): McpServer {
  const server = new McpServer({ name: "s", version: "1", extensions });
  server.registerTool({ name: "echo", description: "", scopes }, () => "echo");
  return server;
}

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

Deno.test("the scopes of a tool do not change with the program's array", async () => {
  const scopes = ["admin"];
  const handler = mcpHandler(echoServer(scopes));
  scopes.length = 0;
  const principal = { subject: "ada", scopes: [] };
  assertEquals(await statusOf(handler(modern("tools/call", CALL), { principal })), 403);
});

Deno.test("the allowed hosts and origins do not change with the program's arrays", async () => {
  const allowedHosts = ["a.example"];
  const allowedOrigins = ["https://a.example"];
  const handler = mcpHandler(echoServer(), { allowedHosts, allowedOrigins });
  allowedHosts.push("b.example");
  allowedOrigins.push("https://b.example");
  const statusFor = (headers: Record<string, string>): Promise<number> =>
    statusOf(handler(modern("tools/call", CALL, headers)));
  assertEquals(await statusFor({ host: "a.example", origin: "https://a.example" }), 200);
  assertEquals(await statusFor({ host: "b.example" }), 403);
  assertEquals(await statusFor({ host: "a.example", origin: "https://b.example" }), 403);
});

Deno.test("the scopes of a resource server do not change with the program's arrays", async () => {
  const requiredScopes = ["mcp"];
  const authorizationServers = ["https://login.example.com"];
  const handler = resourceServer(mcpHandler(echoServer(), { allowedHosts: "any" }), {
    resource: "https://mcp.example.com/mcp",
    authorizationServers,
    requiredScopes,
    verify: () => Promise.resolve({ subject: "ada", scopes: [] }),
  });
  requiredScopes.length = 0;
  authorizationServers.push("https://evil.example.com");
  const headers = { authorization: "Bearer t" };
  assertEquals(await statusOf(handler(modern("tools/call", CALL, headers))), 403);
  const path = "/.well-known/oauth-protected-resource/mcp";
  const metadata = await handler(new Request(`https://mcp.example.com${path}`));
  const { authorization_servers, scopes_supported } = await metadata.json();
  assertEquals(authorization_servers, ["https://login.example.com"]);
  assertEquals(scopes_supported, ["mcp"]);
});

Deno.test("the extensions of a server do not change with the program's array", async () => {
  const extensions: ServerExtension[] = [];
  const server = echoServer([], extensions);
  extensions.push({ id: "com.example/late", canSeeResource: () => false });
  assertEquals(server.canSeeResource("a:b", undefined), true);
  await server.close();
});
