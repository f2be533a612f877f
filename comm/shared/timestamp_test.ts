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

Deno.test("readTimestamp() reads each part of a timestamp", () => {
  const table: readonly (readonly [string, number])[] = [
    ["1970-01-01T00:00:00.001Z", 1],
    ["1970-01-01T00:00:09.000Z", 9000],
    ["1970-01-01T00:08:00.000Z", 480_000],
    ["1970-01-01T23:00:00.000Z", 82_800_000],
    ["1970-01-28T00:00:00.000Z", 2_332_800_000],
    ["1970-12-01T00:00:00.000Z", 28_857_600_000],
    ["9999-12-28T23:59:59.999Z", 253_402_041_599_999],
    ["0100-01-01T00:00:00.000Z", -59_011_459_200_000],
    ["0099-01-01T00:00:00.000Z", -59_042_995_200_000],
    ["0000-01-01T00:00:00.000Z", -62_167_219_200_000],
  ];
  for (const [text, ms] of table) assertEquals(readTimestamp(text), ms, text);
});

Deno.test("readTimestamp() accepts exactly the days of each month", () => {
  const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  for (const [index, length] of lengths.entries()) {
    for (let day = 0; day <= 32; day++) {
      const [mm, dd] = [index + 1, day].map((part) => String(part).padStart(2, "0"));
      const ms = readTimestamp(`2026-${mm}-${dd}T00:00:00.000Z`);
      assertEquals(ms !== undefined, day >= 1 && day <= length, `2026-${mm}-${dd}`);
    }
  }
  assertEquals(readTimestamp("2024-02-29T00:00:00.000Z"), 1_709_164_800_000);
  assertEquals(readTimestamp("2100-02-29T00:00:00.000Z"), undefined);
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
