import { assert, assertEquals, assertThrows } from "@std/assert";
import { createAbortReason, createRunId, joinSignals, monotonicNow } from "./platform.ts";

Deno.test("joinSignals() aborts with the reason of the first signal that is aborted", () => {
  for (const names of [[], ["AbortSignal"]]) {
    const [first, second] = [new AbortController(), new AbortController()];
    const aborted = AbortSignal.abort("before");
    const { joined, earlier } = withoutGlobals(names, () => ({
      joined: joinSignals(first.signal, second.signal),
      earlier: joinSignals(first.signal, aborted),
    }));
    assertEquals([joined.aborted, earlier.aborted, earlier.reason], [false, true, "before"]);
    second.abort("second");
    first.abort("first");
    assertEquals([joined.aborted, joined.reason], [true, "second"]);
  }
});

Deno.test("joinSignals() returns the first signal if there is no second signal", () => {
  const { signal } = new AbortController();
  assertEquals(joinSignals(signal, undefined) === signal, true);
});

Deno.test("createAbortReason() creates a DOMException, or an Error of the same name in a sandbox", () => {
  const usual = createAbortReason("late", "TimeoutError");
  const other = withoutGlobals(["DOMException"], () => createAbortReason("late", "TimeoutError"));
  assert(usual instanceof DOMException);
  assert(!(other instanceof DOMException));
  assertEquals([other.name, other.message], [usual.name, usual.message]);
});

Deno.test("monotonicNow() uses the system clock in a sandbox without performance", () => {
  const before = Date.now();
  const now = withoutGlobals(["performance"], monotonicNow);
  assert(now >= before && now <= Date.now());
  assert(monotonicNow() < before);
});

Deno.test("createRunId() throws in a sandbox without crypto", () => {
  assert(createRunId() !== createRunId());
  assertThrows(() => withoutGlobals(["crypto"], createRunId), TypeError, '"runId" must be set');
});

/** Calls the function while the given global names are not defined. */
function withoutGlobals<Result>(names: readonly string[], call: () => Result): Result {
  const saved = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
  for (const name of names) Reflect.deleteProperty(globalThis, name);
  try {
    return call();
  } finally {
    for (const [index, name] of names.entries()) {
      const descriptor = saved[index];
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    }
  }
}
