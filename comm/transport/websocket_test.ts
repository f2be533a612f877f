import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { CommError } from "../shared/error.ts";
import { createMessage } from "../testdata/messages.ts";
import { formatMessage } from "../message/message_json.ts";
import type { MessageTransport } from "./transport.ts";
import {
  type WebSocketLike,
  webSocketTransport,
  type WebSocketTransportOptions,
} from "./websocket.ts";

/** A WebSocket whose other end is controlled by the test. */
class FakeSocket extends EventTarget implements WebSocketLike {
  readyState = 0;
  bufferedAmount = 0;
  readonly sent: string[] = [];
  readonly closes: (number | undefined)[] = [];

  send(data: string): void {
    this.sent.push(data);
  }

  close(code?: number): void {
    if (this.readyState >= 2) return;
    this.closes.push(code);
    this.finish(code ?? 1005);
  }

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  deliver(data: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  finish(code: number): void {
    this.readyState = 3;
    this.dispatchEvent(new CloseEvent("close", { code }));
  }
}

function create(options?: WebSocketTransportOptions): [FakeSocket, MessageTransport] {
  const socket = new FakeSocket();
  return [socket, webSocketTransport(socket, options)];
}

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  return (await assertRejects(work, CommError)).code;
}

/** A socket that throws if an `error` event has no listener, like a Node.js `EventEmitter`. */
class EmitterSocket extends FakeSocket {
  #hasErrorListener = false;

  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
  ): void {
    if (type === "error") this.#hasErrorListener = true;
    super.addEventListener(type, listener);
  }

  fail(error: Error, code: number): void {
    if (!this.#hasErrorListener) throw error;
    this.dispatchEvent(new ErrorEvent("error", { error, message: error.message }));
    this.finish(code);
  }
}

/** Waits until all pending promise jobs have run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

/** Connects a client and a server over loopback. */
async function withConnection(
  use: (client: MessageTransport, server: MessageTransport) => Promise<void>,
): Promise<void> {
  const { promise: accepted, resolve: accept } = Promise.withResolvers<MessageTransport>();
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve(options, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    accept(webSocketTransport(socket));
    return response;
  });
  await using client = webSocketTransport(new WebSocket(`ws://127.0.0.1:${server.addr.port}`));
  await using other = await accepted;
  await use(client, other);
}

Deno.test("webSocketTransport() delivers messages in both directions over loopback", async () => {
  await withConnection(async (client, server) => {
    for (let id = 0; id < 100; id++) await client.send(createMessage(id, "é".repeat(100)));
    for (let id = 0; id < 100; id++) assertEquals((await server.receive())?.id, String(id));
    await server.send(createMessage("back"));
    assertEquals((await client.receive())?.id, "back");
  });
});

Deno.test("webSocketTransport() delivers all messages sent before close(), and receive() then returns undefined", async () => {
  await withConnection(async (client, server) => {
    for (let id = 0; id < 100; id++) await client.send(createMessage(id));
    const closing = client.close();
    let received = 0;
    for await (const _message of server) received++;
    assertEquals(received, 100);
    await closing;
    assertEquals(await codeOf(() => client.send(createMessage(1))), "transport_closed");
    assertEquals(await codeOf(() => server.send(createMessage(1))), "transport_closed");
  });
});

Deno.test("webSocketTransport() reports a connection that fails to open", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const url = `ws://127.0.0.1:${port}/agents`;
  const transport = webSocketTransport(new WebSocket(`${url}?key=secret`));
  const error = await assertRejects(() => transport.receive(), CommError);
  assert(error.is("receive_failed"));
  const { reason } = error.details;
  assert(reason.startsWith(`connection to ${url} was not opened: `), reason);
  assertEquals(await codeOf(() => transport.send(createMessage(1))), "send_failed");
  await transport.close();
});

Deno.test("webSocketTransport() queues messages until the socket is open", async () => {
  const [socket, transport] = create();
  const first = createMessage(1);
  await transport.send(first);
  await settle();
  assertEquals(socket.sent, []);
  socket.open();
  await settle();
  assertEquals(socket.sent, [formatMessage(first)]);
  await transport.close();
  assertEquals(socket.closes, [1000]);
});

Deno.test("webSocketTransport() reports a timeout if the socket does not open", async () => {
  using time = new FakeTime();
  const [socket, transport] = create({ openTimeoutMs: 100 });
  const waiting = transport.receive();
  await time.tickAsync(100);
  assertEquals(await codeOf(() => waiting), "timeout");
  assertEquals(await codeOf(() => transport.send(createMessage(1))), "timeout");
  assertEquals(socket.closes, [undefined]);
  await transport.close();
});

Deno.test("webSocketTransport() reports a socket that is already closed", async () => {
  const socket = new FakeSocket();
  socket.finish(1000);
  const transport = webSocketTransport(socket);
  assertEquals(await codeOf(() => transport.receive()), "receive_failed");
  assertEquals(await codeOf(() => transport.send(createMessage(1))), "send_failed");
  await transport.close();
});

Deno.test("webSocketTransport() closes immediately while connecting if the queue is empty", async () => {
  const [socket, transport] = create();
  await transport.close();
  assertEquals(socket.closes, [1000]);
  assertEquals(await transport.receive(), undefined);
});

Deno.test("webSocketTransport() accepts text frames, and reports binary frames and invalid messages", async () => {
  const [socket, transport] = create();
  socket.open();
  const text = formatMessage(createMessage("x"));
  socket.deliver(text);
  socket.deliver(new TextEncoder().encode(text).buffer);
  socket.deliver("nonsense");
  socket.deliver(new Blob());
  socket.deliver(text);
  assertEquals((await transport.receive())?.id, "x");
  for (const _bad of ["bytes", "nonsense", "blob"]) {
    assertEquals(await codeOf(() => transport.receive()), "deserialization_failed");
  }
  assertEquals((await transport.receive())?.id, "x");
  await transport.close();
});

Deno.test("webSocketTransport() limits message sizes in both directions", async () => {
  const long = createMessage("long", "x".repeat(1000));
  const [socket, transport] = create({ maxMessageBytes: 500 });
  socket.open();
  socket.deliver(formatMessage(long));
  assertEquals(await codeOf(() => transport.receive()), "message_too_large");
  assertEquals(await codeOf(() => transport.send(long)), "message_too_large");
  await transport.close();
});

Deno.test("webSocketTransport() closes the connection when its receive queue overflows", async () => {
  const [socket, transport] = create({ capacity: 2 });
  socket.open();
  for (const id of [1, 2, 3]) socket.deliver(formatMessage(createMessage(id)));
  assertEquals(socket.closes, [4000]);
  assertEquals((await transport.receive())?.id, "1");
  assertEquals((await transport.receive())?.id, "2");
  assertEquals(await codeOf(() => transport.receive()), "capacity_exceeded");
  assertEquals(await codeOf(() => transport.send(createMessage(4))), "capacity_exceeded");
  await transport.close();
});

Deno.test("webSocketTransport() sends no messages while the socket buffer is full", async () => {
  using time = new FakeTime();
  const [socket, transport] = create({ maxBufferedBytes: 10, capacity: 1, overflow: "error" });
  socket.open();
  await settle();
  socket.bufferedAmount = 11;
  await transport.send(createMessage(1));
  await settle();
  await transport.send(createMessage(2));
  assertEquals(await codeOf(() => transport.send(createMessage(3))), "capacity_exceeded");
  await time.tickAsync(50);
  assertEquals(socket.sent.length, 1);
  socket.bufferedAmount = 10;
  await time.tickAsync(50);
  await settle();
  assertEquals(socket.sent.length, 2);
  await transport.close();
});

Deno.test("webSocketTransport() distinguishes a failed connection from a normally closed connection", async () => {
  for (const code of [1000, 1001, 1005]) {
    const [socket, transport] = create();
    socket.open();
    socket.finish(code);
    assertEquals(await transport.receive(), undefined);
    assertEquals(await codeOf(() => transport.send(createMessage(1))), "transport_closed");
    await transport.close();
  }
  const [socket, transport] = create();
  socket.open();
  socket.deliver(formatMessage(createMessage(1)));
  socket.finish(1006);
  assertEquals((await transport.receive())?.id, "1");
  const error = await assertRejects(() => transport.receive(), CommError);
  assert(error.is("receive_failed"));
  assertEquals(error.details.reason, "connection closed with code 1006");
  assertEquals(await codeOf(() => transport.send(createMessage(2))), "send_failed");
  await transport.close();
  assertEquals(await transport.receive(), undefined);
});

Deno.test("webSocketTransport() closes within the timeout if the other end does not respond", async () => {
  using time = new FakeTime();
  const socket = new FakeSocket();
  socket.close = () => {};
  const transport = webSocketTransport(socket, { closeTimeoutMs: 100 });
  socket.open();
  const closing = transport.close();
  await time.tickAsync(500);
  await closing;
});

Deno.test("webSocketTransport() rejects invalid limits", () => {
  for (
    const name of [
      "maxMessageBytes",
      "maxBufferedBytes",
      "maxQueuedBytes",
      "openTimeoutMs",
      "closeTimeoutMs",
      "capacity",
    ]
  ) {
    assertThrows(() => create({ [name]: 0 }), RangeError);
  }
});

Deno.test("webSocketTransport() skips invalid frames if onInvalid is set", async () => {
  const text = formatMessage(createMessage("x"));
  const errors: string[] = [];
  for (const onInvalid of ["skip", (error: CommError) => void errors.push(error.code)] as const) {
    const [socket, transport] = create({ onInvalid, maxMessageBytes: 500 });
    socket.open();
    for (const data of ["nonsense", new Blob(), "x".repeat(501), text]) socket.deliver(data);
    assertEquals((await transport.receive())?.id, "x");
    socket.finish(1006);
    assertEquals(await codeOf(() => transport.receive()), "receive_failed");
    await transport.close();
  }
  assertEquals(errors, ["deserialization_failed", "deserialization_failed", "message_too_large"]);
});

Deno.test("webSocketTransport() rejects receive() with the exception that onInvalid throws", async () => {
  const [socket, transport] = create({
    onInvalid: () => {
      throw new Error("too many invalid frames");
    },
  });
  socket.open();
  socket.deliver("nonsense");
  await assertRejects(() => transport.receive(), Error, "too many invalid frames");
  await transport.close();
  assertThrows(() => create({ onInvalid: JSON.parse('"ignore"') }), TypeError, '"onInvalid"');
  assertThrows(() => create({ overflow: JSON.parse('"drop"') }), TypeError, '"overflow"');
});

Deno.test("webSocketTransport() rejects a value that is not a WebSocket", () => {
  for (const [value, got] of [["ws://a.example", '"ws://a.example"'], [undefined, "undefined"]]) {
    assertThrows(
      () => Reflect.apply(webSocketTransport, undefined, [value]),
      TypeError,
      `"socket" must be a WebSocket, got ${got}`,
    );
  }
});

Deno.test("webSocketTransport() closes the connection when its queue exceeds maxQueuedBytes", async () => {
  const [socket, transport] = create({ maxQueuedBytes: 1000 });
  socket.open();
  for (const id of [1, 2, 3]) socket.deliver(formatMessage(createMessage(id, "x".repeat(200))));
  assertEquals(socket.closes, [4000]);
  assertEquals((await transport.receive())?.id, "1");
  assertEquals((await transport.receive())?.id, "2");
  const error = await assertRejects(() => transport.receive(), CommError);
  assert(error.is("capacity_exceeded"));
  assertEquals(error.details, { capacity: 1000, maxQueuedBytes: 1000 });
  await transport.close();
});

Deno.test("webSocketTransport() makes send() wait while the queue exceeds maxQueuedBytes", async () => {
  using time = new FakeTime();
  const [socket, transport] = create({ maxQueuedBytes: 1000 });
  socket.open();
  socket.bufferedAmount = Infinity;
  const sent: number[] = [];
  const sending = Promise.all([1, 2, 3, 4, 5].map(async (id) => {
    await transport.send(createMessage(id, "x".repeat(200)));
    sent.push(id);
  }));
  await settle();
  assertEquals([sent, socket.sent.length], [[1, 2, 3], 1]);
  socket.bufferedAmount = 0;
  await time.tickAsync(50);
  await sending;
  assertEquals(sent, [1, 2, 3, 4, 5]);
  await transport.close();
});

Deno.test("webSocketTransport() handles the error event, and its error is the cause", async () => {
  for (const isOpen of [true, false]) {
    const socket = new EmitterSocket();
    const transport = webSocketTransport(socket);
    if (isOpen) socket.open();
    const cause = new RangeError("Invalid WebSocket frame");
    socket.fail(cause, 1006);
    const received = await assertRejects(() => transport.receive(), CommError);
    assertEquals([received.code, received.cause], ["receive_failed", cause]);
    const reason = isOpen
      ? "connection closed with code 1006"
      : "connection was not opened: Invalid WebSocket frame";
    assertEquals(received.message, `Cannot receive message: ${reason}`);
    const sent = await assertRejects(() => transport.send(createMessage("1")), CommError);
    assertEquals([sent.code, sent.cause], ["send_failed", cause]);
    await transport.close();
  }
});

Deno.test("webSocketTransport() prints the rejection of an async onInvalid and ignores the frame", async () => {
  using print = stub(console, "error");
  const [socket, transport] = create({
    onInvalid: () => Promise.reject(new Error("not counted")),
  });
  socket.open();
  socket.deliver("nonsense");
  socket.deliver(formatMessage(createMessage(1)));
  assertEquals((await transport.receive())?.id, "1");
  await Promise.resolve();
  assertStringIncludes(String(print.calls[0]?.args[0]), "Caused by: Error: not counted");
  await transport.close();
});
