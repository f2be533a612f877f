import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
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

Deno.test("RpcConnection recognizes responses that were sent before the cancellation can have arrived", async () => {
  using time = new FakeTime();
  // On one machine, a round trip is too short to tell.
  for (
    const [roundTripMs, afterMs, expected] of [[800, 700, true], [800, 900, false], [
      5,
      1,
      false,
    ]] as const
  ) {
    const peer = new RpcConnection(WIRE, new Trace());
    peer.roundTripMs = roundTripMs;
    void peer.request({ jsonrpc: "2.0", id: 1, method: "tools/call" });
    peer.forget(1);
    await time.tickAsync(afterMs);
    peer.take({ jsonrpc: "2.0", id: 1, result: {} });
    const message = await peer.arrival(() => true, 0);
    assertEquals(message?.id, 1);
    assertEquals(peer.wasSentBeforeCancellation(message ?? {}), expected);
  }
});

Deno.test("RpcConnection waits longer by the time that messages need", async () => {
  using time = new FakeTime();
  const peer = new RpcConnection(WIRE, new Trace());
  peer.roundTripMs = 800;
  assertEquals(peer.timeout(2000), 5200);
  const arrival = peer.arrival(() => true, 100);
  await time.tickAsync(850);
  peer.take({ jsonrpc: "2.0", id: 1, method: "ping" });
  assertEquals((await arrival)?.method, "ping");
  const nothing = peer.arrival(() => true, 100);
  await time.tickAsync(901);
  assertEquals(await nothing, undefined);
});
