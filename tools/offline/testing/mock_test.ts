import { assert, assertEquals, AssertionError, assertRejects, assertThrows } from "@std/assert";
import {
  assertSpyCall,
  assertSpyCalls,
  MockError,
  resolvesNext,
  returnsNext,
  spy,
  stub,
} from "@std/testing/mock";

Deno.test("spy() records arguments, results and errors", () => {
  const half = spy((n: number): number => {
    if (n % 2 !== 0) throw new RangeError(`${n} is odd`);
    return n / 2;
  });
  assertEquals(half(4), 2);
  assertThrows(() => half(3), RangeError);
  assertSpyCalls(half, 2);
  assertSpyCall(half, 0, { args: [4], returned: 2 });
  assertSpyCall(half, 1, { args: [3], error: { Class: RangeError, msgIncludes: "odd" } });
  assertThrows(() => half.restore(), MockError);
});

Deno.test("assertSpyCall() and assertSpyCalls() throw if a call is missing or different", () => {
  const called = spy((text: string): string => text);
  called("a");
  for (
    const wrong of [
      () => assertSpyCalls(called, 0),
      () => assertSpyCalls(called, 2),
      () => assertSpyCall(called, 1),
      () => assertSpyCall(called, 0, { args: ["b"] }),
      () => assertSpyCall(called, 0, { returned: "b" }),
      () => assertSpyCall(called, 0, { error: {} }),
    ]
  ) assertThrows(wrong, AssertionError);
});

Deno.test("spy() on a method calls through until it is restored", () => {
  const counter = {
    total: 0,
    add(n: number): number {
      return this.total += n;
    },
  };
  const add = counter.add;
  {
    using spied = spy(counter, "add");
    assertEquals(counter.add(2), 2);
    assertSpyCall(spied, 0, { self: counter, args: [2], returned: 2 });
    assertThrows(() => spy(counter, "add"), MockError, "already spying");
  }
  assert(counter.add === add);
});

Deno.test("stub() replaces a method until it is restored", () => {
  const dice = { roll: (): number => Math.random() };
  const rolled = stub(dice, "roll", returnsNext([6, 1]));
  assertEquals([dice.roll(), dice.roll()], [6, 1]);
  assertThrows(() => dice.roll(), MockError, "more than 2 time(s)");
  rolled.restore();
  assert(rolled.restored);
  assertThrows(() => rolled.restore(), MockError, "already restored");
  assert(dice.roll() < 1);
});

Deno.test("resolvesNext() resolves, rejects and ends", async () => {
  const next = resolvesNext<number>([1, Promise.resolve(2), new RangeError("three")]);
  assertEquals([await next(), await next()], [1, 2]);
  await assertRejects(() => next(), RangeError, "three");
  await assertRejects(() => next(), MockError, "more than 3 time(s)");
});

Deno.test("returnsNext() throws the errors among its values", () => {
  const next = returnsNext<number>([1, new RangeError("two")]);
  assertEquals(next(), 1);
  assertThrows(() => next(), RangeError, "two");
});
