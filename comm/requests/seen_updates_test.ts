import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { createUuidV7 } from "../shared/uuid.ts";
import { SeenUpdates } from "./seen_updates.ts";

Deno.test("SeenUpdates accepts any number of new updates, and none of them again", () => {
  const ids = Array.from({ length: 5000 }, (_, n) => createUuidV7(1_000_000 + Math.floor(n / 10)));
  const seen = new SeenUpdates();
  assert(ids.every((id) => seen.add(id)));
  assertEquals(ids.filter((id) => seen.add(id)), []);
});

Deno.test("SeenUpdates never accepts an id twice, in any order and with any kind of id", () => {
  const id = fc.oneof(
    fc.nat(3000).map((ms) => createUuidV7(ms)),
    fc.string({ maxLength: 3 }),
    fc.nat(9).map((n) => `${n}`.repeat(20_000)),
  );
  fc.assert(
    fc.property(fc.array(id, { maxLength: 2000, size: "max" }), (ids) => {
      const seen = new SeenUpdates();
      const accepted = [...ids, ...ids].filter((each) => seen.add(each));
      assertEquals(new Set(accepted).size, accepted.length);
    }),
    propertyRuns(20),
  );
});

Deno.test("SeenUpdates accepts recent updates out of order", () => {
  const seen = new SeenUpdates();
  for (let n = 0; n < 1000; n++) assert(seen.add(createUuidV7(10_000 + n)));
  assert(seen.add(createUuidV7(10_900)));
  assertEquals(seen.add(createUuidV7(10_100)), false);
});

Deno.test("SeenUpdates rejects further ids without a time when it no longer tracks one", () => {
  const seen = new SeenUpdates();
  const accepted = Array.from({ length: 1000 }, (_, n) => seen.add(`update ${n}`));
  assertEquals([accepted[511], accepted[999]], [true, false]);
  assert(seen.add(createUuidV7(1)));
});
