import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { SharedStorage, type StoredEvent } from "./memory_budget.ts";

/** Events of a session as a plain list. */
class EventList {
  readonly events: StoredEvent[] = [];

  discardOldest(): void {
    this.events.shift();
  }

  get chars(): number {
    return this.events.reduce((sum, { data }) => sum + data.length + 128, 0);
  }
}

Deno.test("SharedStorage requires a total of at least twice the limit per session", () => {
  const limits = { maxChars: 10, maxTotalChars: 19, maxSharePerPrincipal: 1 };
  assertThrows(() => new SharedStorage(limits), RangeError, '"sessions.maxTotalChars" must be');
});

Deno.test("SharedStorage never stores more than its limits after random changes", () => {
  const step = fc.record({
    session: fc.nat({ max: 3 }),
    kind: fc.constantFrom("event", "event", "reserve", "close"),
    chars: fc.nat({ max: 1200 }),
  });
  fc.assert(fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
    const limits = { maxChars: 1000, maxTotalChars: 2500, maxSharePerPrincipal: 0.6 };
    const shared = new SharedStorage(limits);
    const open = (subject: string | undefined) => ({
      subject,
      storage: shared.open(subject),
      list: new EventList(),
      reserved: 0,
    });
    const sessions = [open("a"), open("a"), open("b"), open(undefined)];
    for (const { session, kind, chars } of steps) {
      const one = sessions[session];
      assert(one !== undefined);
      const text = "x".repeat(chars);
      if (kind === "event") {
        const event = { data: text };
        const exceeded = one.storage.add(event, one.list);
        if (exceeded === undefined) one.list.events.push(event);
        else assert(exceeded === "maxTotalChars" || chars + 128 + one.reserved > 1000);
      } else if (kind === "reserve") {
        if (one.storage.reserve(text) === undefined) one.reserved += chars + 128;
      } else {
        one.storage.close();
        sessions[session] = open(one.subject);
      }
      const sizes = sessions.map(({ list, reserved, subject, storage }) => {
        assertEquals(storage.eventChars, list.chars);
        return { subject, size: list.chars + reserved };
      });
      const total = (of: readonly { readonly size: number }[]): number =>
        of.reduce((sum, { size }) => sum + size, 0);
      for (const { size } of sizes) assert(size <= 1000);
      assert(total(sizes) <= 2500);
      assert(total(sizes.filter(({ subject }) => subject === "a")) <= 1500);
    }
  }));
});
