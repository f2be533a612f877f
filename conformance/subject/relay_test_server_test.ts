import { assertEquals } from "@std/assert";
import { connectTcp } from "../platform/net.ts";
import { startRelayTestServer } from "./relay_test_server.ts";

Deno.test("RelayTestServer closes even if a relay has not presented its token", async () => {
  const peer = await startRelayTestServer(["relay"]);
  const { args } = peer.address;
  const [, port, , token] = Array.isArray(args) ? args : [];
  const silent = await connectTcp(Number(port));
  const known = await connectTcp(Number(port));
  const received = new Promise<unknown>((resolve) => peer.onMessage = resolve);
  known.write(`${token}\n{"method":"x"}\n`);
  // Connections are accepted in order, so the server has accepted both connections when this
  // message arrives.
  assertEquals(await received, { method: "x" });
  silent.read(() => {});
  await peer.close();
  await Promise.all([silent.closed, known.closed, peer.closed]);
});
