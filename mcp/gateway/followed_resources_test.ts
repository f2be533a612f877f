import { assert, assertEquals, assertRejects } from "@std/assert";
import { Quota } from "@parley/internal/quota";
import { McpError } from "../shared/error.ts";
import { FollowedResources, type OpenResources } from "./followed_resources.ts";

/** A server that accepts subscriptions, and a collection of the resources that are followed. */
function setUp(
  { open = () => Promise.resolve(), max = 10_000, share = 1 }: {
    /** Rejects to reject a subscription. */
    readonly open?: (uris: readonly string[]) => Promise<void>;
    readonly max?: number;
    readonly share?: number;
  } = {},
) {
  const requests: (readonly string[])[] = [];
  const live = new Map<object, (uri: string) => void>();
  const errors: unknown[] = [];
  const quota = new Quota(max, share);
  const followed = new FollowedResources({
    quota: () => quota,
    onError: (error) => errors.push(error),
    open: async (uris, onUpdated): Promise<OpenResources> => {
      requests.push(uris);
      await open(uris);
      const key = {};
      live.set(key, (uri) => uris.includes(uri) && onUpdated(uri));
      return { accepted: uris, close: () => Promise.resolve(void live.delete(key)) };
    },
  });
  const update = (uri: string): void => live.forEach((notify) => notify(uri));
  return { followed, requests, live, errors, update };
}

function uris(count: number, name = "u"): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}:///${index}`);
}

function ignore(): void {}

Deno.test("a long subscription is divided, also after the connection was lost", async () => {
  const { followed, requests, live } = setUp();
  const { accepted } = await followed.follow(uris(1200), ignore, "ann");
  assertEquals(accepted.length, 1200);
  await followed.follow(uris(1, "bob"), ignore, "bob");
  assertEquals(requests.map(({ length }) => length), [500, 500, 200, 1]);
  await followed.restore();
  assertEquals(requests.slice(4).map(({ length }) => length), [500, 500, 200, 1]);
  assertEquals(live.size, 4);
});

Deno.test("a resource that the server rejects does not affect the others of a subscription", async () => {
  const open = (list: readonly string[]): Promise<void> =>
    list.includes("u:///7") ? Promise.reject(McpError.protocolError("unknown")) : Promise.resolve();
  const { followed, errors, update } = setUp({ open });
  const updated: string[] = [];
  const { accepted } = await followed.follow(uris(20), (uri) => updated.push(uri));
  assertEquals(accepted, uris(20).filter((uri) => uri !== "u:///7"));
  update("u:///8");
  update("u:///7");
  assertEquals(updated, ["u:///8"]);
  assertEquals(errors.length, 1);
  await assertRejects(() => followed.follow(["u:///7"], ignore), McpError, "unknown");
});

Deno.test("a server that rejects all resources receives a limited number of requests", async () => {
  const open = (): Promise<void> => Promise.reject(McpError.protocolError("no"));
  const { followed, requests } = setUp({ open });
  await assertRejects(() => followed.follow(uris(500), ignore), McpError, "no");
  assert(requests.length < 50, `${requests.length}`);
});

Deno.test("a subscription is not divided if the connection is lost", async () => {
  const open = (): Promise<void> => Promise.reject(McpError.transportError("pipe", "lost"));
  const { followed, requests } = setUp({ open });
  await assertRejects(() => followed.follow(uris(10), ignore), McpError, "lost");
  assertEquals(requests.length, 1);
});

Deno.test("the failure of a subscription does not affect a subscriber that has joined it", async () => {
  const gate = Promise.withResolvers<void>();
  const open = async (list: readonly string[]): Promise<void> => {
    await gate.promise;
    if (list.includes("bad")) throw McpError.transportError("pipe", "lost");
  };
  const { followed } = setUp({ open });
  const first = followed.follow(["x", "bad"], ignore, "mallory");
  const second = followed.follow(["x"], ignore, "bob");
  gate.resolve();
  assertEquals((await first).accepted, ["x"]);
  assertEquals((await second).accepted, ["x"]);
});

Deno.test("a party that the server rejects after a loss does not affect other parties", async () => {
  let isStrict = false;
  const open = (list: readonly string[]): Promise<void> =>
    isStrict && list.some((uri) => uri.startsWith("m:"))
      ? Promise.reject(McpError.protocolError("no"))
      : Promise.resolve();
  const { followed, update } = setUp({ open });
  const updated: string[] = [];
  await followed.follow([...uris(600, "m"), "shared"], ignore, "mallory");
  await followed.follow(["bob:///1", "shared"], (uri) => updated.push(uri), "bob");
  isStrict = true;
  await assertRejects(() => followed.restore(), McpError, "no");
  assertEquals(updated, ["shared", "bob:///1"]);
  update("bob:///1");
  update("shared");
  assertEquals(updated.slice(2), ["bob:///1", "shared"]);
});

Deno.test("a party has a share of the resources, which is released when it unsubscribes", async () => {
  const { followed } = setUp({ max: 10, share: 0.5 });
  const mallory = await followed.follow(uris(8), ignore, "mallory");
  assertEquals(mallory.accepted, uris(5));
  assertEquals((await followed.follow(["b:///1", "u:///1"], ignore, "bob")).accepted.length, 2);
  assertEquals((await followed.follow(["m:///1"], ignore, "mallory")).accepted, []);
  mallory.stop();
  mallory.stop();
  assertEquals((await followed.follow(uris(4, "m"), ignore, "mallory")).accepted.length, 4);
});

Deno.test("a resource that a party no longer follows counts toward the share of another subscriber", async () => {
  const { followed } = setUp({ max: 10, share: 0.5 });
  const ann = await followed.follow(uris(5), ignore, "ann");
  const again = await followed.follow(uris(1), ignore, "ann");
  const mallory = await followed.follow(uris(5), ignore, "mallory");
  assertEquals(mallory.accepted.length, 5);
  ann.stop();
  // Ann still follows one of the resources.
  assertEquals((await followed.follow(uris(5, "a"), ignore, "ann")).accepted.length, 4);
  assertEquals((await followed.follow(uris(5, "m"), ignore, "mallory")).accepted.length, 1);
  again.stop();
  assertEquals((await followed.follow(uris(5, "b"), ignore, "ann")).accepted.length, 0);
  mallory.stop();
  assertEquals((await followed.follow(uris(5, "b"), ignore, "ann")).accepted.length, 1);
  assertEquals((await followed.follow(uris(5, "n"), ignore, "mallory")).accepted.length, 4);
});

Deno.test("a rejected resource does not use the share of a party", async () => {
  let isOpen = false;
  const open = (): Promise<void> =>
    isOpen ? Promise.resolve() : Promise.reject(McpError.protocolError("no"));
  const { followed } = setUp({ open, max: 1 });
  await assertRejects(() => followed.follow(["a"], ignore, "ann"), McpError, "no");
  isOpen = true;
  assertEquals((await followed.follow(["b"], ignore, "ann")).accepted, ["b"]);
});
