import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ItemQuota } from "./item_quota.ts";

/** Adds items of one party, and returns the outcomes. */
function takeAll(quota: ItemQuota, party: string, sizes: readonly number[]): string[] {
  return sizes.map((size) => {
    const taken = quota.take(party, size);
    return typeof taken === "function" ? "taken" : taken;
  });
}

Deno.test("take() limits the items and the bytes of one party to its share", () => {
  const items = new ItemQuota({ maxItems: 4, maxBytes: 1000, share: 0.5 });
  assertEquals(takeAll(items, "a", [1, 1, 1]), ["taken", "taken", "share_used"]);
  assertEquals(takeAll(items, "b", [1, 1]), ["taken", "taken"]);
  assertEquals(takeAll(items, "c", [1]), ["full"]);
  const bytes = new ItemQuota({ maxItems: 10, maxBytes: 100, share: 0.5 });
  assertEquals(takeAll(bytes, "a", [30, 30]), ["taken", "share_used"]);
  assertEquals(takeAll(bytes, "b", [30, 20]), ["taken", "taken"]);
  assertEquals(takeAll(bytes, "c", [30]), ["full"]);
});

Deno.test("take() adds an item that is larger than all limits if its party has no other item", () => {
  const quota = new ItemQuota({ maxItems: 1, maxBytes: 10, share: 0.1 });
  const release = quota.take("a", 10_000);
  assertEquals(typeof release, "function");
  if (typeof release === "function") release();
  assertEquals(takeAll(quota, "b", [1]), ["taken"]);
});

Deno.test("capacity that is released is available again, and is released only once", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.nat(60))), (items) => {
      const quota = new ItemQuota({ maxItems: 4, maxBytes: 100, share: 0.5 });
      for (const [party, bytes] of items) {
        const release = quota.take(party, bytes);
        if (typeof release === "string") continue;
        release();
        release();
      }
      assertEquals(takeAll(quota, "a", [25, 25, 1]), ["taken", "taken", "share_used"]);
      assertEquals(takeAll(quota, "b", [25, 25]), ["taken", "taken"]);
    }),
    propertyRuns(50),
  );
});
