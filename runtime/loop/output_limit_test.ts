import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { JsonValue } from "../shared/json.ts";
import type { ToolResultOutput } from "../shared/model.ts";
import { limitOutput } from "./output_limit.ts";

const LIMITS = { maxToolOutputChars: 10, maxToolFileChars: 8 };

function text(value: string): { type: "text"; text: string } {
  return { type: "text", text: value };
}

function file(
  data: string,
): { type: "file"; mediaType: string; data: { type: "data"; data: string } } {
  return { type: "file", mediaType: "image/png", data: { type: "data", data } };
}

const OMITTED = text("[Omitted: a file of type image/png, too large]");

/** Output of a tool, and the same output after truncation to the limits. */
const TABLE: readonly [ToolResultOutput, ToolResultOutput][] = [
  [{ type: "text", value: "0123456789" }, { type: "text", value: "0123456789" }],
  [
    { type: "text", value: "0123456789a" },
    { type: "text", value: "0123456789… [Truncated: 10 of 11 characters]" },
  ],
  [
    { type: "text", value: "012345678😀" },
    { type: "text", value: "012345678… [Truncated: 10 of 11 characters]" },
  ],
  [
    { type: "error-text", value: "0123456789a" },
    { type: "error-text", value: "0123456789… [Truncated: 10 of 11 characters]" },
  ],
  [{ type: "json", value: { a: "12" } }, { type: "json", value: { a: "12" } }],
  [
    { type: "json", value: { a: [1, 2, 3] } },
    { type: "text", value: '{"a":[1,2,… [Truncated: 10 of 13 characters]' },
  ],
  [
    { type: "error-json", value: "0123456789" },
    { type: "error-text", value: '"012345678… [Truncated: 10 of 12 characters]' },
  ],
  [{ type: "execution-denied" }, { type: "execution-denied" }],
  [{ type: "execution-denied", reason: "no" }, { type: "execution-denied", reason: "no" }],
  [
    { type: "execution-denied", reason: "0123456789a" },
    { type: "execution-denied", reason: "0123456789… [Truncated: 10 of 11 characters]" },
  ],
  [
    { type: "content", value: [text("01234"), text("567890"), text("x"), text("y")] },
    {
      type: "content",
      value: [
        text("01234"),
        text("56789… [Truncated: 5 of 6 characters]"),
        text("[Omitted: 2 further parts]"),
      ],
    },
  ],
  [{ type: "content", value: [file("0123")] }, { type: "content", value: [file("0123")] }],
  [{ type: "content", value: [file("012345678")] }, { type: "content", value: [OMITTED] }],
  [
    { type: "content", value: [{ ...file("0123"), filename: "a.png" }] },
    { type: "content", value: [OMITTED] },
  ],
];
for (const [output, limited] of TABLE) {
  Deno.test(`limitOutput() returns ${Deno.inspect(limited, { breakLength: Infinity }).slice(0, 90)}`, () => {
    assertEquals(limitOutput(output, LIMITS), limited);
  });
}

Deno.test("limitOutput() counts the data of all files together", () => {
  const limits = { maxToolOutputChars: 1000, maxToolFileChars: 8 };
  const value = [file("01234"), file("5678"), file("567")];
  assertEquals(limitOutput({ type: "content", value }, limits), {
    type: "content",
    value: [file("01234"), OMITTED, file("567")],
  });
});

Deno.test("limitOutput() returns unchanged data up to the limit, and bounded text beyond the limit", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (generated) => {
      const value = generated as JsonValue;
      const limited = limitOutput({ type: "json", value }, { ...LIMITS, maxToolOutputChars: 50 });
      if (limited.type === "json") {
        assertEquals(limited.value, value);
        return;
      }
      assertEquals(limited.type, "text");
      assertEquals(JSON.stringify(value).length > 50, true);
      assertEquals("value" in limited && String(limited.value).length < 110, true);
    }),
    propertyRuns(500),
  );
});

Deno.test("limitOutput() splits no surrogate pair of the media type of an omitted file", () => {
  const data = { type: "data", data: "0123456789" } as const;
  const mediaType = `${"x".repeat(99)}😀`;
  const value = [{ type: "file" as const, mediaType, data }];
  const limits = { maxToolOutputChars: 1_000, maxToolFileChars: 8 };
  assertEquals(limitOutput({ type: "content", value }, limits), {
    type: "content",
    value: [text(`[Omitted: a file of type ${"x".repeat(99)}, too large]`)],
  });
});
