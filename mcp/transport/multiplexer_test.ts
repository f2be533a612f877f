import { assertEquals, assertRejects } from "@std/assert";
import { Multiplexer } from "./multiplexer.ts";
import { connectPipe } from "./pipe_connection.ts";
import { McpError } from "../shared/error.ts";
import { handAndPipe } from "../testdata/pipes.ts";
import { isRequest, notification, request, type RpcNotification } from "../jsonrpc/message.ts";
import type { Frame } from "../jsonrpc/read_frame.ts";
import { Queue } from "../shared/bounded_queue.ts";

const { signal } = new AbortController();

Deno.test("exchange() delivers the request's notifications before the response", async () => {
  const [peer, pipe] = handAndPipe();
  const connection = connectPipe(pipe, { onError: () => {} });
  const received: RpcNotification[] = [];
  const onNotification = (message: RpcNotification): unknown => received.push(message);
  const own = connection.exchange(request(1, "work"), { signal, onNotification });
  const other = connection.exchange(request("1", "work"), { signal });
  assertEquals((await peer.next()).id, 1);
  assertEquals((await peer.next()).id, "1");
  const progress = (progressToken: unknown) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress: 1 },
  });
  await peer.send(progress(1));
  await peer.send({ jsonrpc: "2.0", id: "1", result: { b: 2 } });
  await peer.send({ jsonrpc: "2.0", id: 1, result: { a: 1 } });
  assertEquals(await own, { jsonrpc: "2.0", id: 1, result: { a: 1 } });
  assertEquals(await other, { jsonrpc: "2.0", id: "1", result: { b: 2 } });
  assertEquals(received, [progress(1)] as unknown);
  await connection.close();
});

Deno.test("notifications that arrive at the same time are delivered in order", async () => {
  const frames = new Queue<Frame>();
  const connection = new Multiplexer({
    label: "pipe",
    frames,
    send: () => Promise.resolve(),
    close: () => Promise.resolve(frames.end()),
  }, { ownerOf: ({ params }) => params?.progressToken, cancellation: () => undefined });
  const received: unknown[] = [];
  const hear = ({ params }: RpcNotification) => void received.push(params?.n);
  const done = connection.exchange(request(1, "work"), { signal, onNotification: hear });
  const reading = (async () => {
    for await (const message of connection.unsolicited) if (!isRequest(message)) hear(message);
  })();
  for (let n = 1; n <= 9; n++) {
    const params = n % 3 === 0 ? { n, progressToken: 1 } : { n };
    frames.tryPush({ kind: "notification", message: notification("notifications/x", params) });
  }
  frames.tryPush({ kind: "response", message: { jsonrpc: "2.0", id: 1, result: {} } });
  await done;
  assertEquals(received, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await connection.close();
  await reading;
});

Deno.test("exchange() sends a cancellation on abort and ignores a late response", async () => {
  const [peer, pipe] = handAndPipe();
  const connection = connectPipe(pipe, { onError: () => {} });
  const controller = new AbortController();
  const answer = connection.exchange(request(1, "work"), controller);
  await peer.next();
  controller.abort(new Error("enough"));
  await assertRejects(() => answer, Error, "enough");
  assertEquals(await peer.next(), {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 1 },
  });
  await peer.send({ jsonrpc: "2.0", id: 1, result: {} });
  const again = connection.exchange(request(2, "again"), { signal });
  await peer.next();
  await peer.send({ jsonrpc: "2.0", id: 2, result: { ok: true } });
  assertEquals(await again, { jsonrpc: "2.0", id: 2, result: { ok: true } });
  await connection.close();
});

Deno.test("exchange() does not cancel a request that was not sent", async () => {
  const frames = new Queue<Frame>();
  const sent: unknown[] = [];
  const connection = connectPipe({
    label: "pipe",
    frames,
    send: (message) => {
      if ("method" in message && message.method === "large") {
        return Promise.reject(McpError.core("too many characters are buffered"));
      }
      sent.push(message);
      return Promise.resolve();
    },
    close: () => Promise.resolve(frames.end()),
  }, { onError: () => {} });
  await assertRejects(() => connection.exchange(request(1, "large"), { signal }), McpError);
  await connection.send(notification("notifications/x"));
  assertEquals(sent, [notification("notifications/x")]);
  await connection.close();
});

Deno.test("exchange() never cancels initialize", async () => {
  const [peer, pipe] = handAndPipe();
  const connection = connectPipe(pipe, { onError: () => {} });
  const controller = new AbortController();
  const answer = connection.exchange(request(1, "initialize"), controller);
  await peer.next();
  controller.abort();
  await assertRejects(() => answer, DOMException);
  await connection.close();
  assertEquals(await peer.nextAll(), []);
});

const BROKEN: readonly [string, object][] = [
  ["a missing jsonrpc member", { id: 1, result: {} }],
  ["result and error", { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "m" } }],
  ["a result that is not an object", { jsonrpc: "2.0", id: 1, result: 1 }],
  ["an error without a code", { jsonrpc: "2.0", id: 1, error: { message: "m" } }],
  ["no id, with one request in flight", { jsonrpc: "2.0", result: {} }],
];

Deno.test("exchange() rejects immediately if the response is invalid", async () => {
  for (const [what, answer] of BROKEN) {
    const [peer, pipe] = handAndPipe();
    const connection = connectPipe(pipe, { onError: () => {} });
    const exchange = connection.exchange(request(1, "work"), { signal });
    await peer.next();
    await peer.send(answer);
    const error = await assertRejects(() => exchange, McpError, undefined, what);
    assertEquals(error.code, "protocol_error", what);
    await connection.close();
  }
});

Deno.test("exchange() matches a response only if its id has the same decimal form", async () => {
  const [peer, pipe] = handAndPipe();
  const connection = connectPipe(pipe, { onError: () => {} });
  const exchange = connection.exchange(request(1, "work"), { signal });
  await peer.next();
  for (const id of ["", "0x1", " 1", "1.0", "01", "one"]) {
    await peer.send({ jsonrpc: "2.0", id, result: { id } });
  }
  const answer = { jsonrpc: "2.0", id: "1", result: {} };
  await peer.send(answer);
  assertEquals(await exchange, answer as unknown);
  await connection.close();
});

Deno.test("exchange() matches an error without an id with the only request in flight", async () => {
  const [peer, pipe] = handAndPipe();
  const connection = connectPipe(pipe, { onError: () => {} });
  const exchange = connection.exchange(request(1, "work"), { signal });
  await peer.next();
  const answer = { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } };
  await peer.send(answer);
  assertEquals(await exchange, answer as unknown);
  await connection.close();
});

Deno.test("exchange() rejects pending and subsequent requests once the peer has closed the pipe", async () => {
  const [peer, pipe] = handAndPipe();
  const connection = connectPipe(pipe, { onError: () => {} });
  const exchange = connection.exchange(request(1, "work"), { signal });
  await peer.next();
  await peer.pipe.close();
  const error = await assertRejects(() => exchange, McpError);
  assertEquals(error.code, "transport_error");
  assertEquals(connection.ended, error);
  await assertRejects(
    () => connection.exchange(request(2, "work"), { signal }),
    McpError,
  );
  assertEquals(await Array.fromAsync(connection.unsolicited), []);
});

Deno.test("close() rejects requests in flight and can be called again", async () => {
  const [peer, pipe] = handAndPipe();
  const connection = connectPipe(pipe, { onError: () => {} });
  const exchange = connection.exchange(request(1, "work"), { signal });
  await peer.next();
  await connection.close();
  await connection.close();
  await assertRejects(() => exchange, McpError, "closed");
});

Deno.test("exchange() rejects if the request id is already in flight or the signal is aborted", async () => {
  const [, pipe] = handAndPipe();
  const connection = connectPipe(pipe, { onError: () => {} });
  const first = connection.exchange(request(1, "work"), { signal });
  await assertRejects(
    () => connection.exchange(request(1, "work"), { signal }),
    RangeError,
  );
  const aborted = AbortSignal.abort(new Error("no"));
  await assertRejects(
    () => connection.exchange(request(2, "work"), { signal: aborted }),
    Error,
    "no",
  );
  await connection.close();
  await assertRejects(() => first, McpError);
});

Deno.test("Multiplexer.unsolicited delivers messages that do not belong to a request", async () => {
  const [peer, pipe] = handAndPipe();
  const connection = connectPipe(pipe, { onError: () => {} });
  const ping = { jsonrpc: "2.0", id: 9, method: "ping" };
  const change = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  await peer.send([ping, change]);
  await peer.pipe.close();
  assertEquals(await Array.fromAsync(connection.unsolicited), [ping, change] as unknown);
});

Deno.test("exchange() removes its listeners if the pipe throws", async () => {
  for (const isAtOnce of [true, false]) {
    const [, pipe] = handAndPipe();
    const listeners = new Set<() => void>();
    const stop = {
      throwIfAborted() {},
      reason: undefined,
      addEventListener: (_type: "abort", listener: () => void) => void listeners.add(listener),
      removeEventListener: (_type: "abort", listener: () => void) =>
        void listeners.delete(listener),
    };
    const send = (): Promise<void> => {
      if (isAtOnce) throw new Error("cable cut");
      return Promise.reject(new Error("cable cut"));
    };
    const { label, frames } = pipe;
    const connection = connectPipe({ label, frames, send, close: () => pipe.close() }, {
      onError: () => {},
    });
    for (const _again of [1, 2]) {
      const asked = () => connection.exchange(request(1, "work"), { signal: stop });
      await assertRejects(asked, Error, "cable cut");
      assertEquals(listeners.size, 0);
    }
    await assertRejects(
      () => connection.send({ jsonrpc: "2.0", method: "hello" }),
      Error,
      "cable cut",
    );
    await connection.close();
  }
});

Deno.test("Multiplexer reports that it drops messages once per overflow", async () => {
  const [peer, pipe] = handAndPipe();
  const errors: unknown[] = [];
  const connection = new Multiplexer(pipe, {
    maxWaiting: 2,
    ownerOf: () => undefined,
    cancellation: () => undefined,
    onError: (error) => errors.push(error),
  });
  const send = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      await peer.send({ jsonrpc: "2.0", method: "news" });
    }
    // The response arrives after all notifications.
    const pinged = connection.exchange(request(1, "ping"), { signal });
    const { id } = await peer.next();
    await peer.send({ jsonrpc: "2.0", id, result: {} });
    await pinged;
  };
  await send(5);
  assertEquals(errors.map(String), [
    "McpError: Cannot complete the operation: messages are dropped while 2 messages are queued",
  ]);
  const unsolicited = connection.unsolicited[Symbol.asyncIterator]();
  for (let index = 0; index < 2; index++) await unsolicited.next();
  await send(4);
  assertEquals(errors.length, 2);
  await connection.close();
});

/** Returns a connection whose pipe behaves as `send` says, and the late responses it waits for. */
function connectionWith(send: () => Promise<void>): {
  readonly connection: Multiplexer;
  readonly receive: (frame: Frame) => void;
  readonly late: Promise<void>[];
  readonly exchange: (id: number | string, signal: AbortSignal) => Promise<unknown>;
} {
  const frames = new Queue<Frame>();
  const pipe = { label: "pipe", frames, send, close: () => Promise.resolve(frames.end()) };
  const connection = new Multiplexer(pipe, {
    ownerOf: () => undefined,
    cancellation: () => undefined,
  });
  const late: Promise<void>[] = [];
  const onUnanswered = (answered: Promise<void>): void => void late.push(answered);
  return {
    connection,
    receive: (frame) => void frames.tryPush(frame),
    late,
    exchange: (id, signal) => connection.exchange(request(id, "work"), { signal, onUnanswered }),
  };
}

Deno.test("onUnanswered receives a promise that resolves when the late response arrives", async () => {
  const { connection, receive, late, exchange } = connectionWith(() => Promise.resolve());
  for (const id of [7, "a"]) {
    const controller = new AbortController();
    const rejected = exchange(id, controller.signal).catch(() => {});
    controller.abort();
    await rejected;
    // Some servers return a numeric id as a string.
    receive({ kind: "response", message: { jsonrpc: "2.0", id: String(id), result: {} } });
    await late.pop();
  }
  await connection.close();
});

Deno.test("onUnanswered is called unless the request was not sent or was rejected", async () => {
  const lost = McpError.transportError("pipe", "lost");
  const rejections: readonly (readonly [unknown, number])[] = [
    [lost, 1],
    [McpError.connectionFailed("http://x.example", "reset"), 1],
    [new Error("broken"), 1],
    [McpError.core("the send buffer is full"), 0],
    [McpError.serializationError("not JSON"), 0],
    [McpError.protocolError("no", { httpStatus: 400, rpcCode: -32600 }), 0],
    [McpError.protocolError("no session", { httpStatus: 404, rpcCode: -32001 }), 0],
    [McpError.transportError("http", "busy", { httpStatus: 429 }), 0],
    [McpError.transportError("http", "large", { httpStatus: 413 }), 0],
    [McpError.authError("no", { httpStatus: 401 }), 0],
    [McpError.authError("no", { httpStatus: 403 }), 0],
    [McpError.authError("no token"), 0],
    [McpError.protocolError("not JSON", { httpStatus: 200 }), 1],
    [McpError.protocolError("no", { httpStatus: 400 }), 1],
    [McpError.protocolError("no", { httpStatus: 500, rpcCode: -32603 }), 1],
    [McpError.transportError("http", "slow", { httpStatus: 408 }), 1],
    [McpError.transportError("http", "broken", { httpStatus: 502 }), 1],
    [McpError.transportError("http", "slow", { httpStatus: 504 }), 1],
  ];
  for (const [error, count] of rejections) {
    const { connection, late, exchange } = connectionWith(() => Promise.reject(error));
    await exchange(1, signal).catch(() => {});
    assertEquals(late.length, count, String(error));
    await exchange(2, AbortSignal.abort()).catch(() => {});
    assertEquals(late.length, count, String(error));
    await connection.close();
  }
});

Deno.test("late responses to more than 1000 requests are not recognized", async () => {
  const { connection, late, exchange } = connectionWith(() => Promise.resolve());
  for (let id = 0; id < 10_002; id++) {
    const controller = new AbortController();
    exchange(id, controller.signal).catch(() => {});
    controller.abort();
  }
  assertEquals(late.length, 10_002);
  assertEquals(new Set(late).size, 1001);
  await connection.close();
});

Deno.test("onUnanswered is called for every error after the peer has accepted the request", async () => {
  const late: Promise<void>[] = [];
  const frames = new Queue<Frame>();
  const connection = new Multiplexer({
    label: "pipe",
    frames,
    send: (_message, options) => {
      options?.onAccepted?.();
      return Promise.reject(McpError.authError("no", { httpStatus: 401 }));
    },
    close: () => Promise.resolve(frames.end()),
  }, { ownerOf: () => undefined, cancellation: () => undefined });
  const onUnanswered = (answered: Promise<void>): void => void late.push(answered);
  await assertRejects(() => connection.exchange(request(1, "work"), { signal, onUnanswered }));
  assertEquals(late.length, 1);
  await connection.close();
});

Deno.test("onUnanswered is called if an invalid frame that is not a response rejects the request", async () => {
  const { connection, receive, late, exchange } = connectionWith(() => Promise.resolve());
  const first = exchange(1, signal);
  receive({ kind: "invalid", id: 1, isResponse: false, code: -32600, reason: "no method" });
  await assertRejects(() => first);
  assertEquals(late.length, 1);
  const second = exchange(2, signal);
  receive({ kind: "invalid", id: 2, isResponse: true, code: -32600, reason: "no result" });
  await assertRejects(() => second);
  assertEquals(late.length, 1);
  await connection.close();
});

Deno.test("the reader receives each message of a batch before the responses of the batch", async () => {
  const frames = new Queue<Frame>();
  const connection = new Multiplexer({
    label: "pipe",
    frames,
    send: () => Promise.resolve(),
    close: () => Promise.resolve(frames.end()),
  }, { ownerOf: () => undefined, cancellation: () => undefined });
  let isAnswered = false;
  const received: boolean[] = [];
  const reading = (async () => {
    for await (const _message of connection.unsolicited) received.push(isAnswered);
  })();
  const done = connection.exchange(request(1, "work"), { signal }).then(() => isAnswered = true);
  const log = { kind: "notification", message: notification("notifications/message", {}) } as const;
  const ask = { kind: "request", message: request("q", "elicitation/create") } as const;
  const response = { jsonrpc: "2.0", id: 1, result: {} } as const;
  frames.tryPush({
    kind: "batch",
    frames: [log, { kind: "response", message: response }, log, ask, ...Array(50).fill(log)],
  });
  await done;
  assertEquals(received, Array(53).fill(false));
  await connection.close();
  await reading;
});
