import { assert, assertEquals, assertThrows } from "@std/assert";
import { LazySignal } from "./lazy_signal.ts";

Deno.test("a LazySignal and its AbortSignal have the same state", () => {
  for (const looksFirst of [true, false]) {
    const lazy = new LazySignal();
    lazy.throwIfAborted();
    if (looksFirst) assertEquals(lazy.signal.aborted, false);
    lazy.abort("first");
    lazy.abort("second");
    assertEquals(lazy.aborted, true);
    assertEquals([lazy.signal.aborted, lazy.signal.reason], [true, "first"]);
    assertEquals(lazy.signal, lazy.signal);
    let thrown: unknown;
    assertThrows(() => {
      try {
        lazy.throwIfAborted();
      } catch (error) {
        thrown = error;
        throw new Error("thrown");
      }
    });
    assertEquals(thrown, "first");
  }
});

Deno.test("a LazySignal calls its listeners once, in addition to its AbortSignal", () => {
  const lazy = new LazySignal();
  const calls: string[] = [];
  const removed = (): void => void calls.push("removed");
  lazy.addEventListener("abort", () => calls.push("listener"));
  lazy.addEventListener("abort", removed);
  lazy.removeEventListener("abort", removed);
  lazy.signal.addEventListener("abort", () => calls.push("event"));
  lazy.abort("first");
  lazy.abort("second");
  assertEquals(calls, ["event", "listener"]);
});

Deno.test("a LazySignal calls onFirstAccess once, when its AbortSignal is created", () => {
  let calls = 0;
  const lazy = new LazySignal(() => {
    calls++;
    lazy.abort("gone");
  });
  lazy.addEventListener("abort", () => {});
  lazy.throwIfAborted();
  assertEquals(calls, 0);
  assert(lazy.signal.aborted);
  assertEquals([lazy.signal.reason, calls], ["gone", 1]);
});
