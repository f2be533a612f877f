import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { encodeUtf8, type GivenBody, readGivenBody, type ReceivedRequest } from "./given_body.ts";

function received(members: Partial<ReceivedRequest> = {}): ReceivedRequest {
  return {
    headers: {},
    method: "POST",
    readableDidRead: true,
    readableEnded: true,
    readableEncoding: null,
    ...members,
  };
}

/** Returns the status and the error code of a rejected body. */
function rejection(read: GivenBody | undefined): readonly number[] | undefined {
  return read === undefined || "bytes" in read ? undefined : [read.status, read.error.code];
}

const CHANGED_ERROR = [400, -32700];
const PROGRAM_ERROR = [500, -32603];

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("readGivenBody() reproduces every valid text, or rejects it", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 8 }), (bytes) => {
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
      const read = readGivenBody(received(), text);
      if (read !== undefined && "bytes" in read) assertEquals([...read.bytes], [...bytes]);
      else assertEquals(rejection(read), CHANGED_ERROR);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("readGivenBody() reproduces every parsed value, or rejects it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value);
      const read = readGivenBody(received(), value);
      if (text.includes("\ufffd")) assertEquals(rejection(read), CHANGED_ERROR);
      else assertEquals(read, { bytes: bytesOf(text) });
    }),
  );
});

/** Bodies that may have been changed while they were decoded: a title, the headers and the body. */
const CHANGED: readonly (readonly [string, Record<string, string>, unknown])[] = [
  ["a repaired text", {}, '{"a":"\ufffd"}'],
  ["a repaired text of the received length", { "content-length": "11" }, '{"a":"\ufffd"}'],
  ["a repaired parsed value", {}, { a: ["x\ufffd"] }],
  ["a repaired name of a member", {}, { "\ufffd": 1 }],
  ["a text with a lone surrogate", {}, '{"a":"\ud800"}'],
  ["a text that was decoded as Latin-1", { "content-length": "10" }, '{"a":"\u00c3\u00a9"}'],
  ["a text without its byte order mark", { "content-length": "5" }, "{}"],
  ["a text with an invalid length", { "content-length": "x" }, "{}"],
];

for (const [title, headers, body] of CHANGED) {
  Deno.test(`readGivenBody() rejects ${title}`, () => {
    for (
      const read of [
        readGivenBody(received({ headers }), body),
        readGivenBody(Object.assign(received({ headers }), { body }), undefined),
      ]
    ) assertEquals(rejection(read), CHANGED_ERROR);
  });
}

Deno.test("readGivenBody() does not compare the length of a compressed body", () => {
  const headers = { "content-length": "99", "content-encoding": "gzip" };
  assertEquals(readGivenBody(received({ headers }), "{}"), { bytes: bytesOf("{}") });
});

Deno.test("readGivenBody() returns bytes unchanged, even if they are not UTF-8", () => {
  const bytes = Uint8Array.of(0x22, 0xff, 0x22);
  const headers = { "content-length": "1" };
  assertEquals(readGivenBody(received({ headers }), bytes), { bytes });
});

/** Values that are neither bytes nor text nor parsed JSON. */
const NOT_JSON: Readonly<Record<string, unknown>> = {
  "a map": new Map(),
  "an ArrayBuffer": new ArrayBuffer(2),
  "a stream": new ReadableStream(),
  "a date": { a: new Date(0) },
  "an undefined member": { a: undefined },
  "a number that is not finite": [NaN],
  "a bigint": 1n,
  "a function that converts the value": { toJSON: () => ({ a: 1 }) },
};

for (const [title, body] of Object.entries(NOT_JSON)) {
  Deno.test(`readGivenBody() rejects ${title} with status 500`, () => {
    assertEquals(rejection(readGivenBody(received(), body)), PROGRAM_ERROR);
  });
}

Deno.test("readGivenBody() rejects a request whose encoding loses data", () => {
  for (const readableEncoding of ["ascii", "utf16le", "ucs2"]) {
    const request = received({ readableDidRead: false, readableEnded: false, readableEncoding });
    assertEquals(rejection(readGivenBody(request, undefined)), PROGRAM_ERROR);
  }
});

Deno.test("encodeUtf8() returns bytes that are not UTF-8 for a repaired text", () => {
  assertEquals(encodeUtf8("\u00e9"), Uint8Array.of(0xc3, 0xa9));
  for (const text of ["\ufffd", "a\ud800"]) assertEquals(encodeUtf8(text), Uint8Array.of(0xff));
});
