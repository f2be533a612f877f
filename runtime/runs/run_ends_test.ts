import { assertEquals } from "@std/assert";
import { RunEnds } from "./run_ends.ts";

Deno.test("announce() aborts the signals of all listeners for the run, and of no other run", () => {
  const ends = new RunEnds();
  const [first, second, other] = [ends.listen("r1"), ends.listen("r1"), ends.listen("r2")];
  ends.announce("r1");
  const signals = [first, second, other].map(({ signal }) => signal.aborted);
  assertEquals(signals, [true, true, false]);
  for (const listener of [first, second, other]) listener.cancel();
  assertEquals(ends.size, 0);
});
