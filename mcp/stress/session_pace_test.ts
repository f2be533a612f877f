import { assert, assertEquals } from "@std/assert";
import { mcpHandler, McpServer } from "../server.ts";
import { eventsOf, SessionByHand } from "../testdata/http.ts";

const TOKEN = { progressToken: "t" };

/**
 * Serves an MCP server on the loopback interface, and returns a handler that sends requests to that
 * server.
 */
function serve(server: McpServer) {
  const handler = mcpHandler(server);
  const http = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  const overHttp = Object.assign(
    async (request: Request) => {
      const { method, headers } = request;
      const body = method === "POST" ? { body: await request.text() } : {};
      return await fetch(`http://127.0.0.1:${http.addr.port}/mcp`, { method, headers, ...body });
    },
    { respond: handler.respond, close: handler.close },
  );
  const close = async (): Promise<void> => {
    await handler.close();
    await http.shutdown();
  };
  return { overHttp, close };
}

Deno.test("a client that reads receives all 5000 awaited progress notifications in a session", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "count", description: "" }, async (_args, { progress }) => {
    for (let step = 1; step <= 5000; step++) await progress(step);
    return "done";
  });
  const { overHttp, close } = serve(server);
  const session = await SessionByHand.open(overHttp);
  const events = await Array.fromAsync(
    eventsOf(await session.call(1, "count", {}, TOKEN)),
    ({ data }) => data?.params?.progress ?? data?.id,
  );
  const steps = Array.from({ length: 5000 }, (_, index) => index + 1);
  assertEquals(events, [undefined, ...steps, 1]);
  await close();
});

Deno.test("a client that reads receives all 2000 awaited log messages of 20 kB in a session", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "log", description: "" }, async (_args, { log }) => {
    for (let count = 0; count < 2000; count++) await log("info", "x".repeat(20_000));
    return "done";
  });
  const { overHttp, close } = serve(server);
  const session = await SessionByHand.open(overHttp);
  let received = 0;
  for await (const { data } of eventsOf(await session.call(1, "log"))) {
    if (data?.method === "notifications/message") received++;
  }
  assertEquals(received, 2000);
  await close();
});

/**
 * Returns the number of responses that another session receives while a tool sends log messages,
 * and the longest response time.
 */
async function pingsWhileLogging(reader: string): Promise<{ answered: number; longestMs: number }> {
  const server = new McpServer({ name: "s", version: "1" });
  let isRunning = false;
  const ended = Promise.withResolvers<void>();
  server.registerTool({ name: "log", description: "" }, async (_args, { log }) => {
    isRunning = true;
    for (let count = 0; count < 2000; count++) await log("info", "x".repeat(100_000));
    isRunning = false;
    ended.resolve();
    return "done";
  });
  const { overHttp, close } = serve(server);
  const [chatty, other] = [
    await SessionByHand.open(overHttp),
    await SessionByHand.open(overHttp),
  ];
  const response = await chatty.call(1, "log");
  const read = reader === "a client that reads" ? response.text() : response.body?.cancel();
  let answered = 0;
  let longestMs = 0;
  while (isRunning) {
    const sentAt = performance.now();
    await (await other.send({ jsonrpc: "2.0", id: 1, method: "ping" })).text();
    longestMs = Math.max(longestMs, performance.now() - sentAt);
    answered++;
  }
  await ended.promise;
  await read;
  await close();
  return { answered, longestMs };
}

for (const reader of ["a client that reads", "a client that has disconnected"]) {
  Deno.test(`a tool that logs 2000 times 100 kB to ${reader} does not block other sessions`, async () => {
    // On a busy machine, other processes can delay a response, but rarely in all three attempts.
    const attempts: number[] = [];
    do {
      const { answered, longestMs } = await pingsWhileLogging(reader);
      assert(answered >= 5, `only ${answered} pings answered`);
      attempts.push(longestMs);
    } while (Math.min(...attempts) >= 1000 && attempts.length < 3);
    assert(Math.min(...attempts) < 1000, `pings took ${attempts} ms`);
  });
}

Deno.test("a tool whose log messages no client reads does not block timers", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const ended = Promise.withResolvers<void>();
  const signal = AbortSignal.timeout(1);
  let count = 0;
  server.registerTool({ name: "log", description: "" }, async (_args, context) => {
    context.closeStream();
    while (!signal.aborted && count < 200_000) {
      await context.log("info", "x".repeat(1000));
      count++;
    }
    ended.resolve();
    return "done";
  });
  const handler = mcpHandler(server);
  const session = await SessionByHand.open(handler);
  await (await session.call(1, "log")).text();
  await ended.promise;
  assert(signal.aborted && count < 200_000, `${count} messages before the timer`);
  await handler.close();
});
