/**
 * Checks that sockets and streams of Node.js and the npm package `ws` are assignable to our structural types, and that
 * the packages agree on JSON values. The compiler performs the check.
 */

import type { JsonValue as CommJsonValue } from "@parley/comm";
import type { JsonValue as RuntimeJsonValue } from "@parley/runtime";
import { type ByteStreamPair, streamTransport, type WebSocketLike } from "@parley/comm/transport";
// @ts-types="@types/ws"
import type { WebSocket as WsWebSocket } from "ws";
import { Duplex, PassThrough, Readable, Writable } from "node:stream";
import { assertEquals } from "@std/assert";

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

Deno.test("streamTransport() receives what Duplex.toWeb() passes on", async () => {
  const text = `{"id":"1","sender":"did:web:a.example","recipient":"did:web:b.example",` +
    `"protocol":"agent.task.v1","messageType":"request","payload":null,` +
    `"timestamp":"2026-01-02T03:04:05.678Z"}\n`;
  const duplex = new PassThrough();
  duplex.end(text);
  await using transport = streamTransport(Duplex.toWeb(duplex));
  assertEquals((await transport.receive())?.id, "1");
});
