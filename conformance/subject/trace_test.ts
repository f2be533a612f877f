import { assertEquals } from "@std/assert";
import { Trace } from "./trace.ts";

Deno.test("Trace marks a truncated message and does not split a surrogate pair", () => {
  const trace = new Trace();
  trace.add("←", `${"x".repeat(1999)}\u{1f600}`);
  assertEquals(trace.lines().map((line) => line.replace(/^\d+ ms /, "")), [
    `← ${"x".repeat(1999)}…`,
  ]);
});

Deno.test("Trace returns the last message from the kit", () => {
  const trace = new Trace();
  assertEquals(trace.lastSent, undefined);
  trace.add("→", "one");
  trace.add("→", "two");
  trace.add("←", "three");
  assertEquals(trace.lastSent, "two");
});
