import { assertEquals } from "@std/assert";
import { Semaphore } from "@parley/internal/semaphore";
import { servePipe } from "../serve/pipe/serve_pipe.ts";
import { McpServer } from "../server/mcp_server.ts";
import { createMemoryTransport } from "../transport/memory.ts";
import { readConfig } from "./config.ts";
import { openSession, toSource } from "./connect.ts";

Deno.test("a session does not keep the signal of its connection attempt", async () => {
  for (const protocol of ["auto", "modern", "legacy"] as const) {
    const server = new McpServer({ name: "s", version: "1" });
    const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
    const { auth: _auth, around: _around, ...settings } = readConfig({ transport, protocol });
    let lastId = 0;
    const { session } = await openSession(toSource(transport), {
      ...settings,
      capabilities: {},
      onNotification: () => {},
      onError: () => {},
      tolerance: () => {},
      signal: new AbortController().signal,
      semaphore: new Semaphore(1),
      era: undefined,
      nextId: () => ++lastId,
    });
    assertEquals(["signal" in session.options, lastId], [false, 1], protocol);
    await session.close();
  }
});
