import { assertEquals } from "@std/assert";
import { McpClient } from "../client.ts";
import { MetaKey } from "../protocol/meta.ts";
import type { Pipe } from "../rpc/transport.ts";
import { McpServer, servePipe } from "../server.ts";
import { createMemoryTransport, createPipePair } from "./memory.ts";

/** More than either side puts by, and not more than a pipe holds. */
const MANY = 1500;

for (const protocol of ["modern", "legacy"]) {
  Deno.test(`a client hears all that a server says at once (${protocol})`, async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.registerTool({ name: "t", description: "" }, () => "done");
    const opened = Promise.withResolvers<Pipe>();
    const transport = createMemoryTransport((pipe) => {
      opened.resolve(pipe);
      return servePipe(server, pipe);
    });
    const heard: unknown[] = [];
    const all = Promise.withResolvers<void>();
    const notified = (message: { readonly params?: unknown }) => {
      if (heard.push(message.params) === MANY) all.resolve();
    };
    const client = new McpClient({ transport, protocol, notified });
    await client.connect();
    const pipe = await opened.promise;
    const said = Array.from({ length: MANY }, (_, number) => ({ number }));
    const method = "notifications/message";
    const sent = said.map((params) => pipe.send({ jsonrpc: "2.0", method, params }));
    await client.callTool("t", {});
    await all.promise;
    assertEquals(heard, said);
    await Promise.all(sent);
    await client.disconnect();
  });
}

Deno.test("a server answers all that a client asks at once", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => Promise.resolve("done"));
  const [own, other] = createPipePair();
  const served = servePipe(server, other);
  const _meta = { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} };
  const params = { name: "t", arguments: {}, _meta };
  const sent = Array.from(
    { length: MANY },
    (_, id) => own.send({ jsonrpc: "2.0", id, method: "tools/call", params }),
  );
  let answers = 0;
  for await (const frame of own.frames) {
    assertEquals(frame.kind === "response" && "result" in frame.message, true);
    if (++answers === MANY) break;
  }
  await Promise.all(sent);
  await own.close();
  await served;
});
