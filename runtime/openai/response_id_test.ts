import { assertEquals } from "@std/assert";
import { firstPart, formatResponseId, readResponseId } from "./response_id.ts";

// FNV-1a hash of "clerk", calculated with another implementation.
const HASH = "559d6552";

Deno.test("the id of a response contains the hash of the model and the run", () => {
  const first = firstPart("clerk", "s.0");
  assertEquals(first, { modelHash: HASH, runId: "s.0", from: 0, number: 0 });
  assertEquals(formatResponseId(first), `resp_${HASH}_s.0`);
  assertEquals(formatResponseId({ ...first, from: 3, number: 1 }), `resp_${HASH}_s.0~3~1`);
});

const IDS: readonly (readonly [string, string, number, number])[] = [
  ["s.0", "s.0", 0, 0],
  ["s.0~3~1", "s.0", 3, 1],
  ["a~1~2~3.4", "a~1~2~3.4", 0, 0],
  ["a~1~2~3.4~5~6", "a~1~2~3.4", 5, 6],
  ["a_b%2Fc.0", "a_b%2Fc.0", 0, 0],
  ["a\nb.0~1~1", "a\nb.0", 1, 1],
  // A number of 0 is not written, so the text is part of the id of the run.
  ["s.0~0~0", "s.0~0~0", 0, 0],
];

for (const [text, runId, from, number] of IDS) {
  Deno.test(`the id ${JSON.stringify(text)} names a run and its part`, () => {
    const part = { modelHash: HASH, runId, from, number };
    assertEquals(readResponseId(`resp_${HASH}_${text}`), part);
    assertEquals(formatResponseId(part), `resp_${HASH}_${text}`);
  });
}

for (const id of ["", "s.0", "resp_s.0", `resp_${HASH}`, `resp_${HASH}_`, `resp_${HASH}_\0`]) {
  Deno.test(`${JSON.stringify(id)} is not the id of a response`, () => {
    assertEquals(readResponseId(id), undefined);
  });
}
