import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../../shared/error.ts";
import { serveStdio } from "../../server.ts";
import { McpServer } from "../../server/mcp_server.ts";
import { meta } from "../../testdata/pipes.ts";

Deno.test("servePipe() rejects if the client reads too slowly", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const aborted = Promise.withResolvers<unknown>();
  server.registerTool({ name: "talk", description: "" }, async (_args, { signal, progress }) => {
    signal.addEventListener("abort", () => aborted.resolve(signal.reason));
    for (let step = 0; step < 1000 && !signal.aborted; step++) {
      progress(step);
      await Promise.resolve();
    }
  });
  const params = { name: "talk", _meta: meta({}, { progressToken: 1 }) };
  const input = [JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })];
  const never = new Promise<never>(() => {});
  const serving = serveStdio(server, {
    reader: { readLine: () => input.length === 0 ? never : Promise.resolve(input.pop() ?? null) },
    writer: { writeLine: () => never },
    maxBufferedChars: 1000,
  });
  const error = await assertRejects(
    () => serving,
    McpError,
    "more than 1000 characters are buffered",
  );
  assertEquals([error.code, await aborted.promise], ["core", error]);
});
