/**
 * A legacy server that exits on unknown requests, stops reading, or ignores closed stdin and
 * SIGTERM.
 */
const [mode] = Deno.args;
if (mode === "ignores_term") Deno.addSignalListener("SIGTERM", () => {});

const decoder = new TextDecoder();
let text = "";
for await (const chunk of Deno.stdin.readable) {
  text += decoder.decode(chunk, { stream: true });
  const lines = text.split("\n");
  text = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method } = JSON.parse(line);
    // Stop reading input after the session is initialized.
    if (mode === "deaf" && method === "notifications/initialized") {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    }
    if (method === "initialize") {
      write({
        jsonrpc: "2.0",
        id,
        result: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "stubborn", version: "1" },
        },
      });
    } else if (method === "tools/list") {
      write({ jsonrpc: "2.0", id, result: { tools: [{ name: "t" }] } });
    } else if (method === "tools/call") {
      Deno.stderr.writeSync(new TextEncoder().encode("about to fail\n"));
      Deno.exit(7);
    } else if (id !== undefined && mode === "dies_on_probe") {
      Deno.exit(1);
    } else if (id !== undefined && mode !== "silent") {
      write({ jsonrpc: "2.0", id, error: { code: -32000, message: "not initialized" } });
    }
  }
}
if (mode === "ignores_term") setInterval(() => {}, 60_000);

function write(value: unknown): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
}
