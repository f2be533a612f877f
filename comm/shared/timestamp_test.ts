import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { formatTimestamp, readTimestamp } from "./timestamp.ts";

const MOMENT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

Deno.test("readTimestamp() accepts different formats of the same time", () => {
  const spellings = [
    "2026-01-02T03:04:05.678Z",
    "2026-01-02T03:04:05.678999999Z",
    "2026-01-02T04:34:05.678+01:30",
    "2026-01-01T22:04:05.678-05:00",
    "2026-01-02T03:04:05.678+00:00",
  ];
  for (const text of spellings) assertEquals(readTimestamp(text), MOMENT, text);
  assertEquals(readTimestamp("2026-01-02T03:04:05Z"), MOMENT - 678);
  assertEquals(readTimestamp("2026-01-02T03:04:05.6Z"), MOMENT - 78);
});

Deno.test("readTimestamp() rejects invalid RFC 3339 date-times", () => {
  const refused = [
    "",
    "2026-01-02",
    "2026-01-02T03:04Z",
    "2026-01-02T03:04:05",
    "2026-01-02t03:04:05Z",
    "2026-01-02T03:04:05z",
    "2026-01-02 03:04:05Z",
    "2026-01-02T03:04:05,5Z",
    "2026-01-02T03:04:05.Z",
    "2026-01-02T03:04:05.0123456789Z",
    "2026-13-02T03:04:05Z",
    "2026-13-02T03:04:05.678Z",
    "2026-00-02T03:04:05.678Z",
    "2026-01-00T03:04:05.678Z",
    "2026-02-29T03:04:05.678Z",
    "2026-01-02T24:00:00.000Z",
    "2026-01-02T03:60:05.678Z",
    "2026-01-02T03:04:60.678Z",
    "2026-02-30T03:04:05Z",
    "2026-01-02T24:00:00Z",
    "2026-01-02T03:60:05Z",
    "2016-12-31T23:59:60Z",
    "2026-01-02T03:04:05-00:00",
    "2026-01-02T03:04:05+24:00",
    "2026-01-02T03:04:05+01:60",
    "+02026-01-02T03:04:05Z",
    " 2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05Z\n",
  ];
  for (const text of refused) assertEquals(readTimestamp(text), undefined, text);
});

Deno.test("formatTimestamp() rejects years outside 0000 to 9999", () => {
  for (const ms of [NaN, Infinity, -62167219200001, 253402300800000]) {
    assertThrows(() => formatTimestamp(ms), RangeError);
  }
});

Deno.test("readTimestamp() parses the output of formatTimestamp()", () => {
  fc.assert(
    fc.property(fc.integer({ min: -62167219200000, max: 253402300799999 }), (ms) => {
      assertEquals(readTimestamp(formatTimestamp(ms)), ms);
    }),
    propertyRuns(500),
  );
});
