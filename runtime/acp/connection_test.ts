import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryStorage } from "../session/memory_storage.ts";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel } from "../shared/model.ts";
import { createGate } from "../testing/gate.ts";
import { Connection, type RpcHandler } from "./connection.ts";
import { serveAcp } from "./serve_acp.ts";
import { openEditor } from "./testdata/test_editor.ts";

const SETTINGS = { maxRequests: 100, unreadTimeoutMs: 1000, report: () => {} };

/** A connection whose written lines are collected. */
function collect(settings: Partial<typeof SETTINGS> = {}) {
  const lines: Record<string, unknown>[] = [];
  const connection = new Connection((text) => void lines.push(JSON.parse(text)), {
    ...SETTINGS,
    ...settings,
  });
  return { connection, lines };
}

/** A handler whose requests end when they are aborted. */
const WAITS: RpcHandler = {
  handle: (_method, _params, signal) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve({ aborted: true }))),
  notify: () => {},
};

Deno.test("lines that are not messages receive the error of the protocol, and nothing else stops", async () => {
  const editor = openEditor({ script: [{ text: "Hello" }], maxLineBytes: 200 });
  const sessionId = await editor.open();
  const invalid: readonly (readonly [string, number, unknown, string])[] = [
    ["{", -32700, null, "Parse error: the line is not valid JSON"],
    ["[]", -32600, null, "Invalid Request: the message must be an object"],
    ["1", -32600, null, "Invalid Request: the message must be an object"],
    ["{}", -32600, null, 'Invalid Request: the message must have a "method"'],
    ['{"method":"a","id":7}', -32600, 7, 'Invalid Request: "jsonrpc" must be "2.0"'],
    [
      '{"jsonrpc":"2.0","method":1,"id":7}',
      -32600,
      7,
      'Invalid Request: "method" must be a string',
    ],
    [
      '{"jsonrpc":"2.0","method":"a","id":null}',
      -32600,
      null,
      'Invalid Request: "id" must be a string or an integer',
    ],
    [
      '{"jsonrpc":"2.0","method":"a","id":"7","params":[]}',
      -32602,
      "7",
      'Invalid params: "params" must be an object',
    ],
    [`"${"x".repeat(200)}"`, -32600, null, "Invalid Request: the line is longer than 200 bytes"],
  ];
  const before = editor.received.length;
  for (const [line] of invalid) await editor.write(`${line}\n`);
  assertEquals(await editor.prompt(sessionId, "Hi"), { stopReason: "end_turn" });
  assertEquals(
    editor.received.slice(before, before + invalid.length),
    invalid.map(([, code, id, message]) => ({ jsonrpc: "2.0", id, error: { code, message } })),
  );
  await editor.end();
});

Deno.test("a line that is not UTF-8 receives a parse error", async () => {
  const { connection, lines } = collect();
  await connection.receive({ damagedText: "\ufffd" }, WAITS);
  const message = "Parse error: the line is not valid UTF-8";
  assertEquals(lines, [{ jsonrpc: "2.0", id: null, error: { code: -32700, message } }]);
});

Deno.test("any lines leave the connection usable", async () => {
  const method = fc.constantFrom(
    "initialize",
    "session/new",
    "session/load",
    "session/resume",
    "session/close",
    "session/prompt",
    "session/set_mode",
    "session/cancel",
    "$/cancel_request",
    "x",
  );
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record({
      sessionId: fc.oneof(fc.jsonValue(), fc.constant("s")),
      cwd: fc.oneof(fc.jsonValue(), fc.constant("/w")),
      mcpServers: fc.jsonValue(),
      prompt: fc.array(fc.oneof(fc.jsonValue(), fc.record({ type: fc.constant("text") }))),
      modeId: fc.jsonValue(),
      requestId: fc.jsonValue(),
      protocolVersion: fc.oneof(fc.jsonValue(), fc.constant(1)),
      clientCapabilities: fc.jsonValue(),
    }, { requiredKeys: [] }),
  );
  const id = fc.oneof(fc.jsonValue(), fc.integer({ min: 0, max: 3 }));
  const message = fc.record(
    { jsonrpc: fc.constantFrom("2.0", "1.0"), id, method, params, result: id, error: id },
    { requiredKeys: [] },
  );
  const line = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.json(),
    message.map((one) => JSON.stringify(one)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
      const editor = openEditor();
      for (const one of lines) await editor.write(`${one}\n`);
      await editor.post({ id: "last", method: "initialize", params: { protocolVersion: 1 } });
      const { error, result } = await editor.response("last");
      assert(error !== undefined || result !== undefined);
      await editor.end();
      assertEquals(editor.errors, []);
    }),
    propertyRuns(100),
  );
});

Deno.test("the number of requests in progress is limited, and ids must be unique", async () => {
  const { connection, lines } = collect({ maxRequests: 1 });
  const request = (id: number): string => JSON.stringify({ jsonrpc: "2.0", id, method: "a" });
  connection.receive(request(1), WAITS);
  await connection.receive(request(1), WAITS);
  await connection.receive(request(2), WAITS);
  await connection.endInput();
  assertEquals(lines, [
    {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32600, message: 'Invalid Request: "id" is already in use' },
    },
    {
      jsonrpc: "2.0",
      id: 2,
      error: { code: -32603, message: "Too many requests are in progress: the maximum is 1" },
    },
    { jsonrpc: "2.0", id: 1, result: { aborted: true } },
  ]);
});

Deno.test("an error of a handler is masked, and reported", async () => {
  const reported: unknown[] = [];
  const lines: string[] = [];
  const connection = new Connection((text) => void lines.push(text), {
    ...SETTINGS,
    report: (error) => reported.push(error),
  });
  const failure = new Error("secret");
  const handler: RpcHandler = { handle: () => Promise.reject(failure), notify: () => {} };
  connection.receive('{"jsonrpc":"2.0","id":1,"method":"a"}', handler);
  await connection.endInput();
  assertEquals(lines, [
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}\n',
  ]);
  assertEquals(reported, [failure]);
});

Deno.test("request() returns the result, or rejects with the error of the editor", async () => {
  const { connection, lines } = collect();
  const first = connection.request("fs/a", { path: "/w" });
  const second = connection.request("fs/b", {});
  connection.receive('{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"gone"}}', WAITS);
  connection.receive('{"jsonrpc":"2.0","id":0,"result":{"content":"a"}}', WAITS);
  connection.receive('{"jsonrpc":"2.0","id":0,"result":{"content":"b"}}', WAITS);
  connection.receive('{"jsonrpc":"2.0","id":"x","result":{}}', WAITS);
  assertEquals(await first, { content: "a" });
  await assertRejects(
    () => second,
    AgentError,
    'Cannot complete the request "fs/b": the editor returned error -32002: gone',
  );
  assertEquals(lines, [
    { jsonrpc: "2.0", id: 0, method: "fs/a", params: { path: "/w" } },
    { jsonrpc: "2.0", id: 1, method: "fs/b", params: {} },
  ]);
});

Deno.test("request() limits the requests in progress, and rejects when the input ends", async () => {
  const { connection } = collect({ maxRequests: 1 });
  const first = connection.request("fs/a", {});
  const error = await assertRejects(() => connection.request("fs/b", {}), AgentError);
  assertEquals(error.code, "capacity_exceeded");
  const ended = assertRejects(() => first, AgentError, "the connection has ended");
  await connection.endInput();
  await ended;
  await assertRejects(() => connection.request("fs/c", {}), DOMException, "The input has ended");
});

Deno.test("request() cancels a request that is aborted or late", async () => {
  const time = new FakeTime();
  try {
    const { connection, lines } = collect();
    const controller = new AbortController();
    const aborted = connection.request("fs/a", {}, { signal: controller.signal });
    const late = connection.request("fs/b", {}, { timeoutMs: 50 });
    const rejections = Promise.all([
      assertRejects(() => aborted, Error, "not needed"),
      assertRejects(() => late, AgentError, "no response after 50 ms"),
    ]);
    await time.tickAsync(10);
    controller.abort(new Error("not needed"));
    await time.tickAsync(40);
    await rejections;
    await time.tickAsync(0);
    assertEquals(lines.slice(2), [
      { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 0 } },
      { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 1 } },
    ]);
  } finally {
    time.restore();
  }
});

Deno.test("messages are written in order, one after another", async () => {
  const gates = [createGate(), createGate()];
  const started: string[] = [];
  let next = 0;
  const connection = new Connection((text) => {
    started.push(JSON.parse(text).method);
    return gates[next++]?.wait();
  }, SETTINGS);
  const sent = Promise.all([connection.send({ method: "a" }), connection.send({ method: "b" })]);
  await gates[0]?.reached;
  assertEquals(started, ["a"]);
  gates[0]?.release();
  await gates[1]?.reached;
  assertEquals(started, ["a", "b"]);
  gates[1]?.release();
  await sent;
});

/** An editor that stops reading after a number of messages. */
function stopsReading(after: number) {
  const received: { id?: unknown; result?: { sessionId?: string } }[] = [];
  const first = Promise.withResolvers<void>();
  const writable = new WritableStream<Uint8Array>({
    write: (bytes) => {
      received.push(JSON.parse(new TextDecoder().decode(bytes)));
      if (received.length < after) return undefined;
      if (received.length === after) return first.resolve();
      return new Promise(() => {});
    },
  });
  return { first: first.promise, received, writable };
}

/** Counts the messages that are being sent. `restore` ends, and returns the maximum. */
function countUnwritten(): { readonly restore: () => number } {
  const { send } = Connection.prototype;
  let [count, max] = [0, 0];
  Connection.prototype.send = function (message) {
    max = Math.max(max, ++count);
    const sent = send.call(this, message);
    sent.catch(() => {}).then(() => count--);
    return sent;
  };
  return {
    restore: () => {
      Connection.prototype.send = send;
      return max;
    },
  };
}

for (
  const [end, line] of [
    ["input", '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}'],
    // The next line is read when the response to this line has been read.
    ["signal", "{}"],
  ] as const
) {
  Deno.test(`an editor that does not read delays the end by the ${end} for at most 2 seconds`, async () => {
    const time = new FakeTime();
    try {
      const controller = new AbortController();
      const { received, writable } = stopsReading(0);
      const input = new TransformStream<Uint8Array, Uint8Array>();
      let isServing = true;
      const served = serveAcp({ readable: input.readable, writable }, {
        name: "clerk",
        version: "1.0.0",
        storage: memoryStorage(),
        signal: controller.signal,
        make: () => Promise.reject(new Error("is not called")),
      }).finally(() => isServing = false);
      const writer = input.writable.getWriter();
      writer.closed.catch(() => {});
      await writer.write(new TextEncoder().encode(`${line}\n`));
      await time.tickAsync(5000);
      if (end === "input") await writer.close();
      else controller.abort();
      await time.tickAsync(1999);
      assertEquals([received.length, isServing], [1, true]);
      await time.tickAsync(1);
      await served;
    } finally {
      time.restore();
    }
  });
}

Deno.test("an editor that does not read ends the connection after a time, and stops the runs", async () => {
  const { first, received, writable } = stopsReading(2);
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const storage = memoryStorage();
  const ended = Promise.withResolvers<unknown>();
  storage[Symbol.asyncDispose] = async () => {
    ended.resolve((await storage.log.list({ phase: "ended", limit: 10 })).length);
  };
  const words = Array.from({ length: 1000 }, (_, index) => `${index} `);
  const model: LanguageModel = {
    modelId: "endless",
    generate: () => Promise.reject(new Error("is not called")),
    async *stream({ signal }) {
      for (const delta of words) yield { type: "text-delta", delta };
      await new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    },
  };
  const unwritten = countUnwritten();
  const errors: unknown[] = [];
  const served = serveAcp({ readable: input.readable, writable }, {
    name: "clerk",
    version: "1.0.0",
    storage,
    onError: (error) => errors.push(error),
    unreadTimeoutMs: 20,
    make: () => new ToolLoopAgent({ name: "clerk", model }),
  });
  const rejected = assertRejects(
    () => served,
    AgentError,
    "the editor has not read a message for 20 ms",
  );
  const writer = input.writable.getWriter();
  writer.closed.catch(() => {});
  const post = (id: number, method: string, params: object): Promise<void> =>
    writer.write(new TextEncoder().encode(
      `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`,
    ));
  await post(1, "initialize", { protocolVersion: 1 });
  await post(2, "session/new", { cwd: "/w" });
  await first;
  const { sessionId } = received[1]?.result ?? {};
  await post(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: "Hi" }] });
  await post(4, "session/new", { cwd: "/w" });
  await rejected;
  // Only the message that is not read was written.
  assertEquals(received.length, 3);
  assertEquals(await ended.promise, 1);
  // At most one update of the prompt, and the response to the last request.
  assert(unwritten.restore() <= 2);
  assertEquals(errors, []); // the error is thrown
});
