import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Quota } from "./quota.ts";

Deno.test("Quota reports the same capacity as a simple counter after random changes", () => {
  const step = fc.record({
    party: fc.constantFrom("a", "b", undefined),
    amount: fc.integer({ min: 1, max: 5 }),
    isBack: fc.boolean(),
  });
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const quota = new Quota(20, 0.5);
    const taken: { readonly party: string | undefined; readonly amount: number }[] = [];
    const sum = (wanted: (party: string | undefined) => boolean): number =>
      taken.filter(({ party }) => wanted(party)).reduce((all, { amount }) => all + amount, 0);
    for (const { party, amount, isBack } of steps) {
      const last = isBack ? taken.pop() : undefined;
      if (last !== undefined) quota.take(-last.amount, last.party);
      const expected = sum(() => true) + amount <= 20 &&
        (party === undefined || sum((each) => each === party) + amount <= 10);
      assertEquals(quota.has(amount, party), expected);
      if (!expected) continue;
      quota.take(amount, party);
      taken.push({ party, amount });
    }
  }));
});

Deno.test("Quota gives a party the whole number that its share was calculated from", () => {
  const cases: readonly (readonly [number, number])[] = [[100, 29], [1000, 57], [49, 7], [3, 1]];
  for (const [max, maxPerParty] of cases) {
    const quota = new Quota(max, maxPerParty / max);
    assertEquals([quota.has(maxPerParty, "a"), quota.has(maxPerParty + 1, "a")], [true, false]);
  }
});
