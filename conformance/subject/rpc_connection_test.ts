import { assertEquals } from "@std/assert";
import { RpcConnection, type RpcWire } from "./rpc_connection.ts";
import { Trace } from "./trace.ts";

const WIRE: RpcWire = { send: () => {}, sendText: () => {}, sendBytes: () => {} };

Deno.test("RpcConnection queues at most 64 Mi characters of messages, and still settles requests", async () => {
  const peer = new RpcConnection(WIRE, new Trace());
  const response = peer.request({ jsonrpc: "2.0", id: 1, method: "ping" });
  const params = { text: "x".repeat(1024 * 1024) };
  for (let id = 0; id < 70; id++) peer.take({ jsonrpc: "2.0", id, method: "x", params });
  assertEquals(peer.unclaimed.length, 63);
  peer.take({ jsonrpc: "2.0", id: 1, result: {} });
  assertEquals(await response, { jsonrpc: "2.0", id: 1, result: {} });
});
