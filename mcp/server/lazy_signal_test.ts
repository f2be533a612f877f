import { assertEquals, assertThrows } from "@std/assert";
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
