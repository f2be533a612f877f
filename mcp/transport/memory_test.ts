import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { McpClient } from "../client.ts";
import { McpError } from "../shared/error.ts";
import { MetaKey } from "../protocol/meta.ts";
import type { Pipe, PipeSource } from "../jsonrpc/contracts.ts";
import type { Frame } from "../jsonrpc/read_frame.ts";
import { McpServer, servePipe } from "../server.ts";
import { createMemoryTransport, createPipePair } from "./memory.ts";

/**
 * Number of messages to send: more than the client and server queues hold, but fewer than the pipe
 * holds.
 */
const MANY = 1500;

for (const protocol of ["modern", "legacy"] as const) {
  Deno.test(`McpClient receives all notifications of a burst (${protocol})`, async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.registerTool({ name: "t", description: "" }, () => "done");
    const opened = Promise.withResolvers<Pipe>();
    const transport = createMemoryTransport((pipe) => {
      opened.resolve(pipe);
      return servePipe(server, pipe);
    });
    const received: unknown[] = [];
    const all = Promise.withResolvers<void>();
    const onNotification = (message: { readonly params?: unknown }) => {
      if (received.push(message.params) === MANY) all.resolve();
    };
    const client = new McpClient({ transport, protocol, onNotification });
    await client.connect();
    const pipe = await opened.promise;
    const said = Array.from({ length: MANY }, (_, number) => ({ number }));
    const method = "notifications/message";
    const sent = said.map((params) => pipe.send({ jsonrpc: "2.0", method, params }));
    await client.callTool("t", {});
    await all.promise;
    assertEquals(received, said);
    await Promise.all(sent);
    await client.disconnect();
  });
}

Deno.test("servePipe() responds to all concurrent requests", async () => {
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

for (const protocol of ["modern", "legacy"] as const) {
  Deno.test(`each of several concurrent callTool() calls receives all of its progress notifications (${protocol})`, async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.registerTool({ name: "t", description: "" }, (_args, { progress }) => {
      for (let done = 0; done < 900; done++) progress(done);
      return "done";
    });
    const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
    const client = new McpClient({ transport, protocol });
    await client.connect();
    let received = 0;
    const onProgress = () => void received++;
    await Promise.all([1, 2, 3, 4].map(() => client.callTool("t", {}, { onProgress })));
    assertEquals(received, 4 * 900);
    await client.disconnect();
  });
}

Deno.test("createPipePair() rejects messages beyond its limit until the reader continues", async () => {
  const [left, right] = createPipePair({ maxBufferedMessages: 2 });
  const hello = { jsonrpc: "2.0", method: "hello" } as const;
  // The reader's queue holds 1000 messages, and 2 more calls to `send()` wait for capacity.
  const sent = Array.from({ length: 1002 }, () => left.send(hello));
  const error = await assertRejects(() => left.send(hello), McpError, "more than 2 messages");
  assertEquals(error.code, "core");
  const frames = right.frames[Symbol.asyncIterator]();
  await frames.next();
  sent.push(left.send(hello));
  await left.close();
  assertEquals(
    (await Promise.allSettled(sent)).filter((one) => one.status === "rejected").length,
    2,
  );
  await assertRejects(() => left.send(hello), McpError, "closed");
});

/** Returns a transport whose client receives no frames while `state.isHeld` is pending. */
function hold(source: PipeSource, state: { isHeld: Promise<void> }): PipeSource {
  async function* receive({ frames }: Pipe): AsyncGenerator<Frame> {
    for await (const frame of frames) {
      await state.isHeld;
      yield frame;
    }
  }
  return {
    label: source.label,
    canReopen: source.canReopen,
    openPipe: async () => {
      const pipe = await source.openPipe();
      return {
        label: pipe.label,
        frames: receive(pipe),
        send: (message) => pipe.send(message),
        close: () => pipe.close(),
      };
    },
  };
}

Deno.test("servePipe() ends if its send buffer is full, and pending calls reject", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, (_args, { progress }) => {
    for (let done = 0; done < 900; done++) progress(done);
    return "done";
  });
  const served = Promise.withResolvers<unknown>();
  const source = createMemoryTransport(async (pipe) => {
    await servePipe(server, pipe).then(served.resolve, served.resolve);
  }, { maxBufferedMessages: 1 });
  const state = { isHeld: Promise.resolve() };
  const client = new McpClient({ transport: hold(source, state), protocol: "legacy" });
  await client.connect();
  // Without this, the client could empty the buffer before the second call fills it.
  const held = Promise.withResolvers<void>();
  state.isHeld = held.promise;
  const onProgress = () => {};
  const calls = [1, 2].map(() => client.callTool("t", {}, { onProgress }));
  const settled = Promise.allSettled(calls);
  const why = await served.promise;
  held.resolve();
  // The buffer may become full before or after the first response is sent.
  const lost = (await settled).filter(({ status }) => status === "rejected");
  assert(lost.length > 0);
  for (const call of lost) {
    assert(call.status === "rejected" && call.reason instanceof McpError);
    assertEquals(call.reason.code, "transport_error");
    assertStringIncludes(call.reason.message, "closed by the peer");
  }
  assertEquals(why instanceof McpError && why.code, "core");
  await client.disconnect();
});

function echoServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "echo", description: "" }, (args) => Object.keys(args).join());
  return server;
}

for (const protocol of ["modern", "legacy"] as const) {
  Deno.test(`createMemoryTransport() passes only what JSON can represent (${protocol})`, async () => {
    const server = echoServer();
    const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
    const client = new McpClient({ transport, protocol });
    await client.connect();
    const cycle: Record<string, unknown> = {};
    cycle.cycle = cycle;
    for (const args of [cycle, { big: 1n }]) {
      const error = await assertRejects(() => client.callTool("echo", args), McpError);
      assertEquals(error.code, "serialization_error");
    }
    const args = { kept: 1, dropped: undefined, called: () => 1, date: new Date(0) };
    const { content } = await client.callTool("echo", args);
    assertEquals(content, [{ type: "text", text: "kept,date" }]);
    await client.disconnect();
  });
}

Deno.test("createMemoryTransport() passes objects unchanged with passObjects", async () => {
  const [left, right] = createPipePair({ passObjects: true });
  const params = { cycle: {} };
  params.cycle = params;
  await left.send({ jsonrpc: "2.0", method: "n", params });
  for await (const frame of right.frames) {
    assertEquals(frame.kind === "notification" && frame.message.params === params, true);
    break;
  }
  await left.close();
});

Deno.test("createMemoryTransport() rejects invalid arguments", () => {
  const serve = () => Promise.resolve();
  assertThrows(
    () => Reflect.apply(createMemoryTransport, undefined, ["serve"]),
    TypeError,
    '"serve"',
  );
  assertThrows(
    () => createMemoryTransport(serve, { maxBufferedMessages: 0 }),
    RangeError,
    '"maxBufferedMessages" must be a positive integer, got 0',
  );
});

Deno.test("connect() rejects with the error of a server in the same process", async () => {
  const cause = new Error("no database");
  const servers: readonly [unknown, string][] = [
    [() => Promise.reject(cause), "the server failed: no database"],
    [() => {
      throw cause;
    }, "the server failed: no database"],
    [(pipe: Pipe) => void servePipe(echoServer(), pipe), '"serve" must return a promise'],
  ];
  for (const [serve, reason] of servers) {
    const transport = Reflect.apply(createMemoryTransport, undefined, [serve]);
    const client = new McpClient({ transport });
    const error = await assertRejects(() => client.connect(), McpError, reason);
    assertEquals(error.code, "connection_failed");
    await client.disconnect();
  }
});

Deno.test("callTool() rejects with the error of a server in the same process", async () => {
  const failing = Promise.withResolvers<void>();
  const held = Promise.withResolvers<string>();
  const cause = new Error("no database");
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, () => {
    failing.reject(cause);
    return held.promise;
  });
  let served = Promise.resolve();
  const transport = createMemoryTransport((pipe) => {
    served = servePipe(server, pipe);
    return failing.promise;
  });
  const client = new McpClient({ transport });
  await client.connect();
  const call = () => client.callTool("t", {});
  const error = await assertRejects(call, McpError, "the server failed: no database");
  assertEquals([error.code, error.cause], ["transport_error", cause]);
  await assertRejects(call, McpError, "the server failed: no database");
  held.resolve("late");
  await served;
  await client.disconnect();
});
