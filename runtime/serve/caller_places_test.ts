import { assert, assertEquals, assertThrows } from "@std/assert";
import { CallerPlaces } from "./caller_places.ts";

Deno.test("a caller has its own number of places", () => {
  const places = new CallerPlaces(2);
  const ann = { subject: "ann" };
  assert(places.take(ann));
  assert(places.take(ann));
  assertEquals(places.take(ann), undefined);
  assert(places.take({ subject: "bob" }));
});

Deno.test("all anonymous callers are one caller, which no subject names", () => {
  const places = new CallerPlaces(1);
  assert(places.take(undefined));
  assertEquals(places.take(undefined), undefined);
  assert(places.take({ subject: "undefined" }));
  assert(places.take({ subject: "-" }));
});

Deno.test("the callers of a party share its places", () => {
  const places = new CallerPlaces(2);
  assert(places.take({ subject: "did:web:a.example", party: "a.example" }));
  const leave = places.take({ subject: "did:web:a.example:b", party: "a.example" });
  assert(leave);
  assertEquals(places.take({ subject: "did:web:a.example:c", party: "a.example" }), undefined);
  assert(places.take({ subject: "ann" }));
  leave();
  assert(places.take({ subject: "did:web:a.example:c", party: "a.example" }));
});

Deno.test("a caller that is not a principal has no place", () => {
  assertThrows(() => new CallerPlaces(1).take({ subject: "" }), TypeError, '"caller.subject"');
});

Deno.test("a place is given back once", () => {
  const places = new CallerPlaces(2);
  const ann = { subject: "ann" };
  const leave = places.take(ann);
  assert(places.take(ann));
  leave?.();
  leave?.();
  assert(places.take(ann));
  assertEquals(places.take(ann), undefined);
});
