import { assertEquals, assertMatch } from "@std/assert";
import { createErrorPrinter } from "./error_printer.ts";

function recordingPrinter() {
  const lines: string[] = [];
  const clock = { time: 1000 };
  const report = createErrorPrinter("server", {
    print: (text) => lines.push(text),
    now: () => clock.time,
  });
  return { lines, clock, report };
}

Deno.test("createErrorPrinter() prints an error with its stack and causes", () => {
  const { lines, report } = recordingPrinter();
  report(new Error("cannot save", { cause: new TypeError("disk gone") }));
  assertMatch(
    lines[0] ?? "",
    /^server: Error: cannot save\n {4}at [\s\S]*\nCaused by: TypeError: disk gone\n {4}at /,
  );
  assertEquals(lines.length, 1);
});

Deno.test("createErrorPrinter() prints values that are not errors", () => {
  const { lines, report } = recordingPrinter();
  for (const value of ["text", undefined, null, 7n, { code: 1 }, Symbol("s")]) report(value);
  assertEquals(
    lines,
    ["text", "undefined", "null", "7", '{"code":1}', "Symbol(s)"].map((text) => `server: ${text}`),
  );
});

Deno.test("createErrorPrinter() prints a placeholder for an object without a JSON representation", () => {
  const { lines, report } = recordingPrinter();
  report({ id: 7n });
  assertEquals(lines, ["server: an object that cannot be represented as JSON"]);
});

Deno.test("createErrorPrinter() prints the same error once", () => {
  const { lines, report } = recordingPrinter();
  for (let i = 0; i < 3; i++) report(new Error("same"));
  report(new Error("same", { cause: "another cause" }));
  assertEquals(lines.length, 2);
});

Deno.test("createErrorPrinter() prints at most 20 errors per minute", () => {
  const { lines, clock, report } = recordingPrinter();
  for (let i = 0; i < 50; i++) report(`error ${i}`);
  assertEquals(lines.length, 21);
  assertEquals(lines.at(-1), "server: further errors are not printed for up to one minute");
  clock.time += 60_000;
  report("error 49");
  assertEquals(lines.at(-1), "server: error 49");
});

Deno.test("createErrorPrinter() prints again after the clock is set back", () => {
  const { lines, clock, report } = recordingPrinter();
  for (let i = 0; i < 30; i++) report(`error ${i}`);
  clock.time -= 1;
  report("later");
  assertEquals(lines.at(-1), "server: later");
});

Deno.test("createErrorPrinter() truncates long texts", () => {
  const { lines, report } = recordingPrinter();
  report("x".repeat(100_000));
  assertEquals(lines[0]?.length, "server: ".length + 8001);
});

Deno.test("createErrorPrinter() prints an error again after 1000 other errors", () => {
  const { lines, clock, report } = recordingPrinter();
  for (let i = 0; i < 1001; i++) {
    clock.time += 60_000;
    report(`error ${i}`);
  }
  report("error 0");
  assertEquals(lines.length, 1002);
});

Deno.test("createErrorPrinter() follows a cyclic cause chain once", () => {
  const { lines, report } = recordingPrinter();
  const error = new Error("loop");
  error.cause = error;
  report(error);
  assertEquals(lines[0]?.includes("Caused by"), false);
});

Deno.test("createErrorPrinter() never throws", () => {
  const throwing = createErrorPrinter("server", {
    print: () => {
      throw new Error("closed");
    },
  });
  throwing("text");
  const { report } = recordingPrinter();
  const hostile = new Error("x");
  Object.defineProperty(hostile, "message", {
    get: () => {
      throw new Error("no message");
    },
  });
  report(hostile);
});

Deno.test("createErrorPrinter() escapes invisible characters but keeps the line breaks of a stack", () => {
  const { lines, report } = recordingPrinter();
  const cause = new Error("b\nserver: forged\u202e");
  cause.stack = "Error: b\nserver: forged\u202e\n    at c\u001b[2J";
  const error = new Error("a", { cause });
  error.stack = "Error: a\n    at b";
  report(error);
  report("x\ny\u009b");
  report({ text: "\u202e" });
  assertEquals(lines, [
    "server: Error: a\n    at b\n" +
    "Caused by: Error: b\\u{a}server: forged\\u{202e}\n    at c\\u{1b}[2J",
    "server: x\\u{a}y\\u{9b}",
    'server: {"text":"\\u{202e}"}',
  ]);
});

Deno.test("createErrorPrinter() does not split a surrogate pair", () => {
  const { lines, report } = recordingPrinter();
  report(`${"x".repeat(7999)}\u{1f600}`);
  assertEquals(lines, [`server: ${"x".repeat(7999)}…`]);
});
