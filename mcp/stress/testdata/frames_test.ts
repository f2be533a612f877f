import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../../tools/testing/property.ts";
import { clientFrame, type Cut, cut, debtOf, pieces, serverFrame, streamOf } from "./frames.ts";

/** Returns the number of samples, out of 1,000, that satisfy a predicate. */
function count<T>(arbitrary: fc.Arbitrary<T>, holds: (each: T) => boolean): number {
  return fc.sample(arbitrary, { numRuns: 1000, seed: 11 }).filter(holds).length;
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes));
    return true;
  } catch {
    return false;
  }
}

function isContinuation(byte: number | undefined): boolean {
  return ((byte ?? 0) & 0xc0) === 0x80;
}

Deno.test("clientFrame generates requests, other messages, malformed messages and random bytes", () => {
  assert(count(clientFrame, (bytes) => debtOf(bytes).id !== undefined) > 300);
  assert(count(clientFrame, (bytes) => isJson(bytes) && debtOf(bytes).id === undefined) > 100);
  assert(count(clientFrame, (bytes) => !isJson(bytes) && bytes[0] === 0x7b) > 100);
  assert(count(clientFrame, (bytes) => !isJson(bytes) && bytes[0] !== 0x7b) > 50);
});

Deno.test("serverFrame contains the request id placeholder, and both generators produce non-ASCII characters", () => {
  const names = (bytes: Uint8Array): boolean => new TextDecoder().decode(bytes).includes('"$id"');
  assert(count(serverFrame, names) > 400);
  assert(count(serverFrame, isJson) > 500);
  for (const frame of [clientFrame, serverFrame]) {
    assert(count(frame, (bytes) => isJson(bytes) && bytes.some(isContinuation)) > 50);
  }
});

Deno.test("cut() splits frames at a few positions, within characters and after every byte", () => {
  const cuts = clientFrame.chain(cut);
  const isEvery = ({ bytes, at }: Cut): boolean => bytes.length > 9 && at.length === bytes.length;
  const isInside = ({ bytes, at }: Cut): boolean =>
    at.some((place) => isContinuation(bytes[place]));
  assert(count(cuts, isEvery) > 15);
  assert(count(cuts, (each) => isInside(each) && !isEvery(each)) > 40);
  assert(count(cuts, ({ at }) => at.length > 0 && at.length < 5) > 300);
});

Deno.test("pieces() and streamOf() return all bytes of a split frame", async () => {
  const property = fc.asyncProperty(clientFrame.chain(cut), async (each) => {
    assertEquals(new Uint8Array([...pieces(each)].flatMap((piece) => [...piece])), each.bytes);
    assertEquals(await new Response(streamOf(each)).bytes(), each.bytes);
  });
  await fc.assert(property, propertyRuns(200));
});
