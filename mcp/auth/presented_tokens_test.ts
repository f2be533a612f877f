import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { presentedTokenOf, PresentedTokens } from "./presented_tokens.ts";

const NOW = 1_700_000_000_000;

function verified(subject: string, scope: string, expiresAt?: number) {
  return { subject, scopes: [scope], ...(expiresAt === undefined ? {} : { expiresAt }) };
}

Deno.test("a subject uses at most a quarter of the shared tokens", () => {
  using _time = new FakeTime(NOW);
  const tokens = new PresentedTokens();
  const hold = (subject: string, index: number, token: string): string | undefined =>
    presentedTokenOf(tokens.hold(verified(subject, `s${index}`, NOW + 60_000), token))?.token;
  for (let index = 0; index < 2501; index++) hold("eve", index, "old");
  // Equal rights share the first token, whose expiration time is not earlier.
  assertEquals(hold("eve", 2499, "new"), "old");
  assertEquals(hold("eve", 2500, "new"), "new");
  hold("ada", 0, "old");
  assertEquals(hold("ada", 0, "new"), "old");
});

Deno.test("expired tokens are deleted", () => {
  using time = new FakeTime(NOW);
  const tokens = new PresentedTokens();
  for (let index = 0; index < 2500; index++) {
    tokens.hold(verified("eve", `s${index}`, NOW + 60_000), "old");
  }
  time.tick(60_000);
  tokens.hold(verified("eve", "x", NOW + 120_000), "first");
  const later = tokens.hold(verified("eve", "x", NOW + 120_000), "second");
  assertEquals(presentedTokenOf(later)?.token, "first");
});

Deno.test("a token without an expiration time is not shared", () => {
  const tokens = new PresentedTokens();
  const first = tokens.hold(verified("ada", "a"), "first");
  const second = tokens.hold(verified("ada", "a"), "second");
  assertEquals(presentedTokenOf(first)?.token, "first");
  assertEquals(presentedTokenOf(second)?.token, "second");
});

Deno.test("a principal cannot be changed", () => {
  const principal = new PresentedTokens().hold(verified("ada", "a"), "t");
  assertEquals([Object.isFrozen(principal), presentedTokenOf({ ...principal })], [true, undefined]);
});
