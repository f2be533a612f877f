/**
 * Transports between processes: {@linkcode streamTransport} for two byte streams, and {@linkcode
 * webSocketTransport} for a WebSocket.
 *
 * Transports neither sign nor verify messages.
 *
 * @example Connect two agents over byte streams
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { streamTransport } from "@parley/comm/transport";
 * import { assertEquals } from "@std/assert";
 *
 * const there = new TransformStream<Uint8Array, Uint8Array>();
 * const back = new TransformStream<Uint8Array, Uint8Array>();
 * const ann = streamTransport({ readable: back.readable, writable: there.writable });
 * const bob = streamTransport({ readable: there.readable, writable: back.writable });
 *
 * await ann.send(
 *   new AgentCommMessage({
 *     sender: "did:web:ann.example",
 *     recipient: "did:web:bob.example",
 *     protocol: "agent.heartbeat.v1",
 *     messageType: "request",
 *     payload: "ping",
 *   }),
 * );
 * assertEquals((await bob.receive())?.payload, "ping");
 * await Promise.all([ann.close(), bob.close()]);
 * ```
 *
 * @module
 */

export type { OnInvalid } from "./transport/on_invalid.ts";
export {
  type ByteReadable,
  type ByteStreamPair,
  type ByteWritable,
  streamTransport,
  type StreamTransportOptions,
} from "./transport/stream.ts";
export type { MessageTransport, TransportOptions } from "./transport/transport.ts";
export {
  type WebSocketLike,
  webSocketTransport,
  type WebSocketTransportOptions,
} from "./transport/websocket.ts";
