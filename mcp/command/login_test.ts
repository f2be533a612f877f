import { assertEquals, assertMatch } from "@std/assert";
import { mcpHandler, McpServer } from "../server.ts";

const CLI = new URL("../cli.ts", import.meta.url).pathname;
const BROWSER = new URL("../testdata/browser.sh", import.meta.url).pathname;

/**
 * Runs the command twice in a temporary folder, with a browser that follows redirects, and prints
 * the mode of the store.
 */
const SCRIPT = `
  folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"
  cp "$BROWSER" xdg-open; cp "$BROWSER" open; chmod +x xdg-open open; export PATH="$folder:$PATH"
  list() { deno run --quiet --no-check -A "$CLI" list "$URL" --login --store tokens.json; }
  list && list && ls -l tokens.json
`;

Deno.test({
  name: "parley-mcp --login logs in with a browser once, and --store keeps the tokens",
  ignore: Deno.build.os === "windows",
}, async () => {
  const requests: string[] = [];
  const http = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname, origin, searchParams } = new URL(request.url);
    requests.push(`${request.method} ${pathname}`);
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      case "/.well-known/oauth-authorization-server":
        return Response.json(metadataOf(origin));
      case "/register":
        return Response.json({ client_id: "c1", ...await request.json() }, { status: 201 });
      case "/authorize": {
        const back = new URL(searchParams.get("redirect_uri") ?? "");
        back.searchParams.set("code", "code-1");
        back.searchParams.set("state", searchParams.get("state") ?? "");
        return Response.redirect(back, 302);
      }
      case "/token":
        return Response.json({ access_token: "a1", token_type: "Bearer", expires_in: 3600 });
      default:
        return await respond(request, origin);
    }
  });
  try {
    const url = `http://127.0.0.1:${http.addr.port}/mcp`;
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", SCRIPT],
      env: { CLI, BROWSER, URL: url, NO_COLOR: "1" },
    }).output();
    const [out = "", err = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertEquals(code, 0, err);
    const list = "Tools \\(1\\)\\n  note\\(\\)\\n";
    assertMatch(out, new RegExp(`^${list}${list}-rw------- .* tokens.json\\n$`));
    assertMatch(err, /^parley-mcp: log in at http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+\n$/);
    assertEquals(requests.filter((line) => line === "POST /token").length, 1);
  } finally {
    await http.shutdown();
  }
});

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  };
}

/** Responds as a modern MCP server that requires the access token. */
async function respond(request: Request, origin: string): Promise<Response> {
  if (request.headers.get("authorization") !== "Bearer a1") {
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    const challenge = { "www-authenticate": `Bearer resource_metadata="${metadata}"` };
    return new Response(null, { status: 401, headers: challenge });
  }
  const server = new McpServer({ name: "demo", version: "1.0.0" });
  server.registerTool({ name: "note" }, () => "milk");
  return await mcpHandler(server, { allowedHosts: ["127.0.0.1"] })(request);
}
