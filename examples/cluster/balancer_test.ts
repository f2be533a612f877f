import { assertEquals } from "@std/assert";
import { startBalancer } from "./balancer.ts";

/** Starts a replica that counts its requests. */
function startReplica(name: string, requests: string[]): Deno.HttpServer<Deno.NetAddr> {
  const local = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  return Deno.serve(local, async (request) => {
    const { pathname, search } = new URL(request.url);
    requests.push(`${name} ${request.method} ${pathname}${search} ${await request.text()}`);
    return new Response(name, { status: 201 });
  });
}

Deno.test("the load balancer sends requests to the replicas in turn", async () => {
  const requests: string[] = [];
  await using first = startReplica("first", requests);
  await using second = startReplica("second", requests);
  await using balancer = startBalancer();
  balancer.add("first", `http://127.0.0.1:${first.addr.port}`);
  balancer.add("second", `http://127.0.0.1:${second.addr.port}`);
  for (const body of ["a", "b", "c"]) {
    const response = await fetch(`${balancer.url}/mcp?x=1`, { method: "POST", body });
    assertEquals(response.status, 201);
    await response.body?.cancel();
  }
  assertEquals(requests, [
    "first POST /mcp?x=1 a",
    "second POST /mcp?x=1 b",
    "first POST /mcp?x=1 c",
  ]);
});

Deno.test("the load balancer does not send a failed request to another replica", async () => {
  const requests: string[] = [];
  await using second = startReplica("second", requests);
  await using balancer = startBalancer();
  using closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  balancer.add("first", `http://127.0.0.1:${closed.addr.port}`);
  balancer.add("second", `http://127.0.0.1:${second.addr.port}`);
  closed.close();
  const { status } = await fetch(balancer.url, { method: "POST", body: "a" });
  assertEquals([status, requests], [502, []]);
});

Deno.test("the load balancer responds with HTTP 503 if there are no replicas", async () => {
  await using balancer = startBalancer();
  balancer.add("first", "http://127.0.0.1:1");
  balancer.remove("first");
  assertEquals((await fetch(balancer.url)).status, 503);
});
