import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type LimitedLetter, MemoryDeadLetters } from "./memory_dead_letters.ts";

function letterOf(sender: string, id: number, bytes = 1, inbox = "a"): LimitedLetter {
  const json = "x".repeat(bytes);
  return {
    key: `${sender} ${id}`,
    party: sender,
    inbox,
    json,
    reason: "failed",
    isUnverified: false,
  };
}

function keysOf(letters: readonly LimitedLetter[]): string[] {
  return letters.map(({ key }) => key);
}

const LIMITS = { maxDeadLetters: 4, maxDeadLetterBytes: 100, maxDeadLetterShare: 0.5 };

Deno.test("MemoryDeadLetters drops the oldest dead letter of a sender whose share is used up", () => {
  const dead = new MemoryDeadLetters(LIMITS);
  for (const letter of [letterOf("ann", 1), letterOf("eve", 1), letterOf("eve", 2)]) {
    assertEquals(dead.add(letter), []);
  }
  assertEquals(keysOf(dead.add(letterOf("eve", 3))), ["eve 1"]);
  assertEquals(keysOf(dead.list("a", 10)), ["ann 1", "eve 2", "eve 3"]);
  assert(dead.has(letterOf("eve", 2)));
  assert(!dead.has(letterOf("eve", 1)));
  assert(!dead.has(letterOf("eve", 2, 2)));
});

Deno.test("MemoryDeadLetters drops the oldest of all dead letters if the total is reached", () => {
  const dead = new MemoryDeadLetters(LIMITS);
  for (const sender of ["a", "b", "c", "d"]) dead.add(letterOf(sender, 1));
  assertEquals(keysOf(dead.add(letterOf("e", 1))), ["a 1"]);
});

Deno.test("MemoryDeadLetters drops a dead letter that exceeds the share of its sender", () => {
  const dead = new MemoryDeadLetters(LIMITS);
  dead.add(letterOf("ann", 1));
  dead.add(letterOf("eve", 1));
  assertEquals(keysOf(dead.add(letterOf("eve", 2, 51))), ["eve 1", "eve 2"]);
  assertEquals(keysOf(dead.list("a", 10)), ["ann 1"]);
});

Deno.test("MemoryDeadLetters never exceeds its limits and drops no letter without a reason", () => {
  const letters = fc.array(
    fc.record({
      sender: fc.constantFrom("ann", "bob", "eve"),
      bytes: fc.integer({ min: 1, max: 60 }),
      isDeleted: fc.boolean(),
    }),
    { maxLength: 50 },
  );
  fc.assert(fc.property(letters, (added) => {
    const dead = new MemoryDeadLetters(LIMITS);
    for (const [id, { sender, bytes, isDeleted }] of added.entries()) {
      const letter = letterOf(sender, id, bytes);
      const before = new Set(keysOf(dead.list("a", 100)));
      const dropped = keysOf(dead.add(letter));
      const kept = dead.list("a", 100);
      const expected = [...before, letter.key].filter((key) => !dropped.includes(key));
      assertEquals(keysOf(kept), expected);
      const own = kept.filter((each) => each.party === sender);
      for (const [list, share] of [[kept, 1], [own, 0.5]] as const) {
        assert(list.length <= LIMITS.maxDeadLetters * share);
        const total = list.map(({ json }) => json.length).reduce((sum, each) => sum + each, 0);
        assert(total <= LIMITS.maxDeadLetterBytes * share);
      }
      if (isDeleted) dead.delete(letter);
    }
  }));
});

Deno.test("MemoryDeadLetters keeps the dead letters of a sender when forged ones are dropped", () => {
  const dead = new MemoryDeadLetters(LIMITS);
  dead.add(letterOf("ann", 1));
  for (let id = 2; id < 10; id++) dead.add({ ...letterOf("ann", id), isUnverified: true });
  assertEquals(keysOf(dead.list("a", 10)), ["ann 1", "ann 8", "ann 9"]);
});

Deno.test("MemoryDeadLetters drops dead letters of a sender with the same reason first", () => {
  const dead = new MemoryDeadLetters(LIMITS);
  dead.add({ ...letterOf("ann", 1), reason: "disk full" });
  for (let id = 2; id < 10; id++) dead.add(letterOf("ann", id));
  assertEquals(keysOf(dead.list("a", 10)), ["ann 1", "ann 9"]);
  dead.add({ ...letterOf("ann", 10), reason: "new" });
  assertEquals(keysOf(dead.list("a", 10)), ["ann 9", "ann 10"]);
});
