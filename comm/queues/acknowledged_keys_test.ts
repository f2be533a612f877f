import { assertEquals } from "@std/assert";
import { AcknowledgedKeys } from "./acknowledged_keys.ts";

function addAll(acknowledged: AcknowledgedKeys, ...keys: string[]): void {
  for (const key of keys) acknowledged.add(key, key.slice(0, 3));
}

function kept(acknowledged: AcknowledgedKeys, ...keys: string[]): string[] {
  return keys.filter((key) => acknowledged.has(key));
}

Deno.test("AcknowledgedKeys removes the oldest key of a party that has used its share", () => {
  const acknowledged = new AcknowledgedKeys(8, 0.5);
  addAll(acknowledged, "ann0", "eve0", "eve1", "eve2", "eve3", "eve4", "eve5");
  const left = kept(acknowledged, "ann0", "eve0", "eve1", "eve2", "eve3", "eve4", "eve5");
  assertEquals(left, ["ann0", "eve2", "eve3", "eve4", "eve5"]);
});

Deno.test("AcknowledgedKeys removes the oldest of all keys if it is full", () => {
  const acknowledged = new AcknowledgedKeys(3, 1);
  addAll(acknowledged, "ann0", "eve0", "eve1", "eve1", "eve2", "eve3");
  assertEquals(kept(acknowledged, "ann0", "eve0", "eve1", "eve2", "eve3"), [
    "eve1",
    "eve2",
    "eve3",
  ]);
  addAll(acknowledged, "bob0");
  assertEquals(kept(acknowledged, "eve1", "eve2", "eve3", "bob0"), ["eve2", "eve3", "bob0"]);
});
