import { assert, assertEquals, assertRejects } from "@std/assert";
import { type AroundRequest, McpClient, McpError } from "../client.ts";
import { McpServer } from "../server.ts";
import { servePipe } from "../serve/pipe/serve_pipe.ts";
import { createMemoryTransport } from "../transport/memory.ts";

const ERAS = ["modern", "legacy"] as const;

/** Connects a client to a server with the tool `meta`. */
async function connect(protocol: typeof ERAS[number], around: AroundRequest): Promise<McpClient> {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "meta", description: "" }, () => "");
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({ transport, protocol, around });
  await client.connect();
  return client;
}

for (const era of ERAS) {
  const hangs: Readonly<Record<string, AroundRequest>> = {
    "before next()": () => new Promise(() => {}),
    "after next()": async (_request, next) => {
      await next();
      return await new Promise<never>(() => {});
    },
  };
  for (const [when, around] of Object.entries(hangs)) {
    Deno.test(`a call ends in time if around of a client hangs ${when} (${era})`, async () => {
      await using client = await connect(era, around);
      const error = await assertRejects(
        () => client.callTool("meta", {}, { maxTotalMs: 10, maxInputMs: 10 }),
        McpError,
      );
      assertEquals([error.code, error.details], ["timeout", {
        method: "tools/call",
        target: "meta",
        timeoutMs: 10,
        kind: "total",
      }]);
    });

    Deno.test(`a call ends with the session if around of a client hangs ${when} (${era})`, async () => {
      const client = await connect(era, around);
      const call = client.callTool("meta", {});
      await client.disconnect();
      const { code } = await assertRejects(() => call, McpError);
      assertEquals(code, "transport_error");
    });
  }

  Deno.test(`next() of a client sends nothing after the call has ended (${era})`, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const around: AroundRequest = async (_request, next) => {
      await promise;
      const result = next();
      result.then(late.resolve, late.resolve);
      return await result;
    };
    await using client = await connect(era, around);
    await assertRejects(
      () => client.callTool("meta", {}, { maxTotalMs: 10, maxInputMs: 10 }),
      McpError,
    );
    resolve();
    const error = await late.promise;
    assert(error instanceof McpError && error.code === "timeout", String(error));
  });
}
