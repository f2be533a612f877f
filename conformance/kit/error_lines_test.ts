import { assertEquals } from "@std/assert";
import { excerptErrors, findErrorLine } from "./error_lines.ts";

function numbered(count: number, name: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
}

Deno.test("findErrorLine() returns the message of an exception", () => {
  const rows: readonly (readonly [string, string])[] = [
    [
      'Starting server\nTraceback (most recent call last):\n  File "a.py", line 1\n    f()\nValueError: no such user\n',
      "ValueError: no such user",
    ],
    [
      "listening\nTypeError: x is undefined\n    at f (a.js:1:2)\n    at g (b.js:3:4)\n",
      "TypeError: x is undefined",
    ],
    [
      "panic: index out of range\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2",
      "panic: index out of range",
    ],
    ["anyio.BrokenResourceError\n", "anyio.BrokenResourceError"],
    ["12:00 INFO ready\n12:01 ERROR cannot read\n12:02 INFO closed", "12:01 ERROR cannot read"],
    ["one\ntwo\n\n", "two"],
    ["", ""],
  ];
  for (const [text, line] of rows) assertEquals(findErrorLine(text), line);
});

Deno.test("excerptErrors() keeps the first and last lines, and the lines between them that name an error", () => {
  const lines = [
    ...numbered(10, "start"),
    "RuntimeError: broken",
    ...numbered(20, "frame"),
  ];
  assertEquals(excerptErrors(`${lines.join("\n")}\n`).split("\n"), [
    ...numbered(6, "start"),
    "… 4 lines",
    "RuntimeError: broken",
    "… 14 lines",
    ...["frame 15", "frame 16", "frame 17", "frame 18", "frame 19", "frame 20"],
  ]);
});

Deno.test("excerptErrors() does not end with the frames of a stack trace", () => {
  const frames = numbered(20, "    at f");
  const lines = ["ready", "[server error] TypeError: x", ...frames];
  assertEquals(excerptErrors(lines.join("\n")).split("\n"), [
    "ready",
    "[server error] TypeError: x",
    "    at f 1",
    "    at f 2",
    "… 18 lines",
  ]);
  assertEquals(findErrorLine(lines.join("\n")), "[server error] TypeError: x");
});

Deno.test("excerptErrors() keeps a short text, and limits the number of lines", () => {
  const short = numbered(18, "line").join("\n");
  assertEquals(excerptErrors(short), short);
  const many = excerptErrors(numbered(1000, "Error:").join("\n")).split("\n");
  assertEquals(many.length, 6 + 1 + 6 + 6);
  assertEquals(many[6], "… 982 lines");
});
