/**
 * A server that exits and leaves behind a child process in a different process group. The child
 * process keeps stdout open.
 */
const { pid } = new Deno.Command("setsid", { args: ["sleep", "60"] }).spawn();
const encoder = new TextEncoder();
Deno.stderr.writeSync(encoder.encode(`${pid}\n`));
for await (const chunk of Deno.stdin.readable) {
  for (const line of new TextDecoder().decode(chunk).trimEnd().split("\n")) {
    const { id, method } = JSON.parse(line);
    if (method === "tools/list") Deno.exit(3);
    const result = {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "leaver", version: "1" },
    };
    if (id === undefined) continue;
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result });
    Deno.stdout.writeSync(encoder.encode(`${answer}\n`));
  }
}
Deno.exit(0);
