import { assertEquals, assertRejects } from "@std/assert";
import { createGate } from "../testing/gate.ts";
import { KeyedTurns } from "./keyed_turns.ts";

Deno.test("work with the same key is done in the order of its arrival, other work at the same time", async () => {
  const turns = new KeyedTurns(3);
  const gate = createGate();
  const done: string[] = [];
  const work = (name: string) => async () => {
    await gate.wait();
    done.push(name);
  };
  const all = [turns.use("a", work("a1")), turns.use("a", work("a2")), turns.use("b", work("b1"))];
  await turns.use("c", () => Promise.resolve(done.push("c1")));
  gate.release();
  await Promise.all(all);
  assertEquals(done, ["c1", "a1", "b1", "a2"]);
});

Deno.test("the work with one key is limited, and work that fails gives its place back", async () => {
  const turns = new KeyedTurns(2);
  const gate = createGate();
  const fail = () => gate.wait().then(() => Promise.reject(new Error("failed")));
  const failing = [turns.use("a", fail), turns.use("a", fail)].map((one) =>
    assertRejects(() => one, Error, "failed")
  );
  await assertRejects(() => turns.use("a", fail), Error, "starts of one session");
  gate.release();
  await Promise.all(failing);
  assertEquals(await turns.use("a", () => Promise.resolve(1)), 1);
});
