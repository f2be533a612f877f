import { assert, assertEquals } from "@std/assert";
import { flap, type Flaps } from "./testdata/flapping_upstream.ts";

/** Asserts that no tool changed its owner, and that nothing accumulated. */
function assertStable(
  { texts, errors, listed, clashes, listeners }: Flaps,
  count: number,
): void {
  // While the server is down, its tools are omitted, and no call reaches the other server.
  assertEquals([texts.length, [...new Set(texts)]], [count, ["owner"]]);
  assertEquals([errors.length, [...new Set(errors)]], [count, [
    'Cannot complete request "tools/call": server returned error -32603: The server "owner" is unreachable',
  ]]);
  assertEquals([[...new Set(listed.down)], [...new Set(listed.up)]], [[960], [980]]);
  assertEquals([...new Set(clashes)], [20]);
  // A subscription replaces the one that was lost.
  assertEquals(listeners.length, count);
  assertEquals(listeners.at(-1), listeners[0]);
}

Deno.test("a server that keeps losing its connection keeps its tools at a gateway, and leaves no timers", async () => {
  assertStable(await flap(20), 20);
});

Deno.test("300 lost connections of a server change no owner and leak no memory in a gateway", async () => {
  const program = new URL("testdata/flapping_upstream.ts", import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "--v8-flags=--expose-gc", program],
  }).output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
  const { grown, ...flaps }: Flaps & { readonly grown: number } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  assertStable(flaps, 300);
  assert(Number.isInteger(grown) && grown < 4 * 1024 * 1024, `${grown} bytes more`);
});
