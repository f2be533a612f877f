import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { ProvenSenders } from "./proven_senders.ts";

Deno.test("ProvenSenders removes the least recently added sender above 1000 senders", () => {
  const senders = new ProvenSenders();
  for (let n = 0; n < 1000; n++) senders.add(`did:web:${n}.com`);
  senders.add("did:web:0.com");
  senders.add("did:web:new.com");
  const names = ["did:web:0.com", "did:web:1.com", "did:web:2.com", "did:web:new.com"];
  assertEquals(names.map((name) => senders.has(name)), [true, false, true, true]);
});

Deno.test("ProvenSenders limits the total length of the DIDs", () => {
  const senders = new ProvenSenders();
  senders.add("did:web:small.com");
  senders.add(`did:web:${"x".repeat(199_990)}`);
  assertEquals(senders.has("did:web:small.com"), false);
  senders.delete(`did:web:${"x".repeat(199_990)}`);
  senders.add("did:web:small.com");
  assertEquals(senders.has("did:web:small.com"), true);
});

Deno.test("ProvenSenders keeps a sender while the senders of another domain use up its limits", () => {
  for (const path of ["agents", "x".repeat(9000)]) {
    const senders = new ProvenSenders();
    senders.add("did:web:kept.com");
    for (let n = 0; n < 1100; n++) senders.add(`did:web:shop.com:${path}:${n}`);
    assertEquals(senders.has("did:web:kept.com"), true);
  }
});

Deno.test("ProvenSenders adds no sender of a barred owner for a minute", () => {
  using time = new FakeTime();
  const senders = new ProvenSenders();
  const names = ["did:web:a.slow.com", "did:web:slow.com:b", "did:web:prompt.com"];
  for (const name of names) senders.add(name);
  senders.bar("did:web:slow.com");
  assertEquals(names.map((name) => senders.has(name)), [false, false, true]);
  assertEquals(names.map((name) => senders.add(name)), [false, false, true]);
  time.tick(60_000);
  assertEquals(names.map((name) => senders.add(name)), [true, true, true]);
});

Deno.test("ProvenSenders bars the method of a slow sender, and adds its other senders", () => {
  const senders = new ProvenSenders();
  senders.bar("did:plc:slow");
  assertEquals(["did:plc:slow", "did:plc:other"].map((name) => senders.add(name)), [false, true]);
  assertEquals(senders.isBarred("did:plc"), true);
});

Deno.test("ProvenSenders bars at most 1000 parties, the latest ones", () => {
  const senders = new ProvenSenders();
  for (let n = 0; n <= 1000; n++) senders.bar(`did:web:${n}.com`);
  assertEquals([0, 1, 1000].map((n) => senders.isBarred(`did:web:${n}.com`)), [false, true, true]);
});

Deno.test("ProvenSenders bars no party after the system clock was set back", () => {
  let nowMs = 100_000;
  using _clock = stub(Date, "now", () => nowMs);
  const senders = new ProvenSenders();
  senders.bar("did:web:slow.com");
  nowMs = 0;
  assertEquals(senders.isBarred("did:web:slow.com"), false);
});
