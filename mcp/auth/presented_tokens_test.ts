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

Deno.test("a subject uses at most a quarter of the characters of the shared tokens", () => {
  using time = new FakeTime(NOW);
  const tokens = new PresentedTokens();
  /** Returns the first character of the held token. */
  const hold = (scope: string, first: string, length: number): string | undefined => {
    const token = first.padEnd(length, "-");
    const principal = tokens.hold(verified("eve", scope, Date.now() + 60_000), token);
    return presentedTokenOf(principal)?.token[0];
  };
  hold("a", "1", 2_000_000);
  hold("b", "1", 2_000_000);
  hold("c", "1", 1_000_000);
  assertEquals([hold("b", "2", 9), hold("c", "2", 9)], ["1", "2"]);
  time.tick(1);
  // A token that expires later replaces the shared token if its characters are available.
  hold("a", "3", 3_000_000);
  assertEquals([hold("a", "4", 9), hold("b", "4", 9)], ["4", "4"]);
  time.tick(60_000);
  hold("c", "5", 4_000_000);
  assertEquals(hold("c", "6", 9), "5");
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
