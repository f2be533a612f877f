import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { CommError } from "../shared/error.ts";
import { Inboxes } from "./inboxes.ts";

Deno.test("Inboxes creates each inbox once, up to the maximum number", async () => {
  const created: string[] = [];
  const inboxes = new Inboxes(2, (name) => {
    created.push(name);
    return Promise.resolve(name);
  });
  assertEquals(await Promise.all(["a", "b", "a"].map((name) => inboxes.open(name))), [
    "a",
    "b",
    "a",
  ]);
  const error = assertThrows(() => inboxes.open("c"), CommError, '"maxInboxes" is 2');
  assertEquals(error.code, "capacity_exceeded");
  assertEquals(created, ["a", "b"]);
});

Deno.test("Inboxes creates an inbox again that could not be created", async () => {
  let attempts = 0;
  const inboxes = new Inboxes(
    1,
    () => ++attempts === 1 ? Promise.reject(new Error("down")) : Promise.resolve(attempts),
  );
  await assertRejects(() => inboxes.open("a"), Error, "down");
  assertEquals(await inboxes.open("a"), 2);
});
