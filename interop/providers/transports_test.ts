/**
 * Checks that standard sockets and streams, Node.js streams and `ws` sockets are assignable to the
 * types of `@parley/comm`. The JSON types of comm and runtime must be assignable to each other. A
 * `ws` socket that fails must not end the process.
 */

import { CommError, type JsonValue as CommJsonValue } from "@parley/comm";
import type { JsonValue as RuntimeJsonValue } from "@parley/runtime";
import {
  type ByteStreamPair,
  streamTransport,
  type WebSocketLike,
  webSocketTransport,
} from "@parley/comm/transport";
// @ts-types="@types/ws"
import { WebSocket as WsWebSocket, WebSocketServer } from "ws";
import { once } from "node:events";
import { Duplex, PassThrough, Readable, Writable } from "node:stream";
import { assert, assertEquals } from "@std/assert";

Deno.test("the standard WebSocket and the WebSocket of ws are assignable to WebSocketLike", () => {
  const fits = (socket: WebSocket | WsWebSocket): WebSocketLike => socket;
  void fits;
});

Deno.test("web streams of Node.js are assignable to ByteStreamPair", () => {
  const fromTwo = (readable: Readable, writable: Writable): ByteStreamPair => ({
    readable: Readable.toWeb(readable),
    writable: Writable.toWeb(writable),
  });
  const fromDuplex = (duplex: Duplex): ByteStreamPair => Duplex.toWeb(duplex);
  void [fromTwo, fromDuplex];
});

Deno.test("standard byte streams are assignable to ByteStreamPair", () => {
  const fits = (
    pair: { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> },
  ): ByteStreamPair => pair;
  void fits;
});

Deno.test("the JSON values of comm and runtime are assignable to each other", () => {
  const toRuntime = (value: CommJsonValue): RuntimeJsonValue => value;
  const toComm = (value: RuntimeJsonValue): CommJsonValue => value;
  void [toRuntime, toComm];
});

Deno.test("streamTransport() receives the data of a stream from Duplex.toWeb()", async () => {
  const text = `{"id":"1","sender":"did:web:a.example","recipient":"did:web:b.example",` +
    `"protocol":"agent.task.v1","messageType":"request","payload":null,` +
    `"timestamp":"2026-01-02T03:04:05.678Z"}\n`;
  const duplex = new PassThrough();
  duplex.end(text);
  await using transport = streamTransport(Duplex.toWeb(duplex));
  assertEquals((await transport.receive())?.id, "1");
});

Deno.test("an invalid frame rejects receive() and does not end the process of a ws server", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  const connected = once(server, "connection");
  using client = await Deno.connect({ hostname: "127.0.0.1", port: address.port });
  const handshake = [
    "GET / HTTP/1.1",
    "Host: localhost",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ];
  await client.write(new TextEncoder().encode(`${handshake.join("\r\n")}\r\n\r\n`));
  const [socket] = await connected;
  await using transport = webSocketTransport(socket);
  const invalidFrame = Uint8Array.of(0xff, 0x81, 0, 0, 0, 0, 0); // reserved bits are set
  await client.write(invalidFrame);
  await client.closeWrite();
  assertEquals(await codeOf(transport.receive()), "receive_failed");
  server.close();
});

Deno.test("a ws socket that does not open rejects receive() and does not end the process", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const socket = new WsWebSocket(`ws://127.0.0.1:${listener.addr.port}`);
  await using transport = webSocketTransport(socket, { openTimeoutMs: 50 });
  assertEquals(await codeOf(transport.receive()), "timeout");
});

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    return error instanceof CommError ? error.code : error;
  }
}
