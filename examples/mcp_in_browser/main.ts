/**
 * An MCP server, and a web page with an MCP client. Open the printed URL in a browser.
 *
 * @module
 */
import { mcpHandler, McpServer } from "@parley/mcp/server";

const PAGE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>MCP client in a page</title>
  <body>
    <h1>Tools of <span id="server">…</span></h1>
    <form id="call">
      <select name="tool" aria-label="Tool"></select>
      <input name="args" aria-label="Arguments, as JSON" value="{}">
      <button>Call</button>
    </form>
    <progress id="progress" max="1" value="0"></progress>
    <pre id="result"></pre>
    <script type="module" src="/page.js"></script>
  </body>
</html>`;

function diceServer(): McpServer {
  const server = new McpServer({ name: "dice", version: "1.0.0" });
  const sides = { type: "integer", minimum: 2, description: "Number of sides of each die" };
  server.registerTool({
    name: "roll",
    description: "Rolls three dice",
    inputSchema: { type: "object", properties: { sides } },
  }, async ({ sides = 6 }: { sides?: number }, { progress }) => {
    const rolls: number[] = [];
    for (const die of [1, 2, 3]) {
      rolls.push(1 + Math.floor(Math.random() * sides));
      await progress(die, { total: 3, message: `die ${die}` });
    }
    return { rolls, sum: rolls.reduce((sum, roll) => sum + roll) };
  });
  server.registerTool({
    name: "greet",
    description: "Asks for a name and returns a greeting",
  }, async (_args, context) => {
    const { action, content } = await context.ask("name", {
      method: "elicitation/create",
      params: {
        message: "What is your name?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      },
    });
    return action === "accept" ? `Hello, ${content?.name}` : "No name given";
  });
  return server;
}

/** Bundles the page's script. */
async function bundlePage(): Promise<Uint8Array<ArrayBuffer>> {
  const page = new URL("page.ts", import.meta.url).pathname;
  const bundle = new Deno.Command("deno", {
    args: ["bundle", "--quiet", "--platform", "browser", page],
    stderr: "inherit",
  });
  const { success, stdout } = await bundle.output();
  if (!success) throw new Error("Cannot bundle the page");
  return stdout;
}

async function main(): Promise<void> {
  const script = await bundlePage();
  const handler = mcpHandler(diceServer());
  Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT") ?? 0) }, (request) => {
    switch (new URL(request.url).pathname) {
      case "/":
        return new Response(PAGE, { headers: { "content-type": "text/html; charset=utf-8" } });
      case "/page.js":
        return new Response(script, { headers: { "content-type": "text/javascript" } });
      case "/mcp":
        return handler(request);
      default:
        return new Response("Not Found", { status: 404 });
    }
  });
}

if (import.meta.main) await main();
