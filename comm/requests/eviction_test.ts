import { assertEquals } from "@std/assert";
import { findEvicted } from "./eviction.ts";

function senderOf(party: string, used = 1, isOld = false) {
  return { party, used, isOld };
}

function never(): boolean {
  return false;
}

Deno.test("findEvicted() returns the oldest sender of the party that uses most", () => {
  const [ann, first, second] = [senderOf("ann"), senderOf("eve", 2), senderOf("eve")];
  assertEquals(findEvicted([ann, first, second], "bob", never), first);
});

Deno.test("findEvicted() returns no sender if no party uses more, unless the sender is old", () => {
  assertEquals(findEvicted([], "bob", never), undefined);
  assertEquals(findEvicted([senderOf("ann"), senderOf("eve")], "bob", never), undefined);
  assertEquals(findEvicted([senderOf("eve", 3), senderOf("bob")], "bob", never), undefined);
  const old = senderOf("ann", 1, true);
  assertEquals(findEvicted([old, senderOf("eve")], "bob", never), old);
});

Deno.test("findEvicted() prefers a late party, unless the given party is late", () => {
  const isLate = (party: string) => party.startsWith("late");
  const [ann, late] = [senderOf("ann"), senderOf("late")];
  assertEquals(findEvicted([ann, late], "bob", isLate), late);
  assertEquals(findEvicted([ann, late], "late2", isLate), undefined);
});
