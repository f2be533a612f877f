import { assertEquals } from "@std/assert";
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
