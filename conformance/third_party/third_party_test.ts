import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import interop from "../../interop/deno.json" with { type: "json" };
import drivers from "../drivers/third_party/deno.json" with { type: "json" };
import { KitError } from "../kit/error.ts";
import type { Report } from "../kit/report.ts";
import type { CaseResult, Verdict } from "../kit/verdict.ts";
import { formatImplementations } from "./markdown.ts";
import { markNames, markValues } from "./mark_values.ts";
import { findStaleNotes, toStableLine, toSubjectResult } from "./result.ts";
import { chooseSubjects, type ThirdPartySubject, toSubject } from "./subject.ts";
import { THIRD_PARTY_SUBJECTS } from "./subjects.ts";

/** Packages of the workspaces with third-party packages. */
const INSTALLED = [drivers, interop].map(({ imports }) =>
  new Map<string, string>(Object.entries(imports))
);

const LOOP: ThirdPartySubject = {
  name: "a-loop",
  title: "A <loop>",
  package: "@them/loop",
  version: "1.2.3",
  language: "typescript",
  library: "runtime",
  access: { kind: "driver", command: "{third_party} 'a b.ts' npm:@them/loop@{version}" },
  setup: "Set up as its documentation shows.",
  notes: [{ cases: ["runtime/stop/*"], text: "It throws at the limit." }],
};

function result(id: string, verdict: Verdict, more: Partial<CaseResult> = {}): CaseResult {
  return {
    id,
    title: `The title of ${id}`,
    rev: "00000000",
    verdict,
    level: "MUST",
    isRequired: true,
    ms: 12,
    ...more,
  };
}

function report(...results: readonly CaseResult[]): Report {
  return {
    report: 2,
    kit: "0.1.0",
    subjects: [{ name: "loop", version: "1" }],
    startedAt: "2026-01-02T03:04:05.678Z",
    ms: 1500,
    results,
    stale: [],
    isInterrupted: false,
  };
}

const CASES = new Map([
  ["runtime/stop/b", { basis: "spec" }],
  ["runtime/loop/z", { basis: "decision" }],
]);

const REPORT = report(
  result("runtime/stop/b", "fail", { expected: "x`y", got: "took 17.5 ms\n  at 127.0.0.1:4711" }),
  result("runtime/loop/z", "crash", {
    level: "SHOULD",
    transport: "stdio",
    got: "no response: the process exited within 2000 ms",
  }),
  result("runtime/loop/a", "pass"),
  result("runtime/loop/b", "untestable", { note: 'no operation "x"' }),
  result("runtime/loop/c", "untestable", { note: 'no operation "y"' }),
  result("runtime/loop/d", "n/a", { note: "not here" }),
);

Deno.test("toSubjectResult() returns reproducible results in a stable order", () => {
  assertEquals(toSubjectResult(LOOP, REPORT, CASES), {
    name: "a-loop",
    version: "1.2.3",
    says: "loop 1",
    kit: "0.1.0",
    date: "2026-01-02",
    passed: 1,
    areas: {
      "runtime/loop": {
        passed: 1,
        must: 0,
        should: 0,
        differences: 1,
        notApplicable: 1,
        untestable: 2,
      },
      "runtime/stop": {
        passed: 0,
        must: 1,
        should: 0,
        differences: 0,
        notApplicable: 0,
        untestable: 0,
      },
    },
    red: [
      {
        id: "runtime/loop/z",
        transport: "stdio",
        level: "SHOULD",
        basis: "decision",
        verdict: "crash",
        expected: "a response",
        got: "no response: the process exited within <n> ms",
      },
      {
        id: "runtime/stop/b",
        level: "MUST",
        basis: "spec",
        verdict: "fail",
        expected: "x`y",
        got: "took <n> ms at 127.0.0.1:<port>",
      },
    ],
    leftOut: [
      { verdict: "n/a", reason: "not here", count: 1 },
      { verdict: "untestable", reason: 'no operation "x"', count: 1 },
      { verdict: "untestable", reason: 'no operation "y"', count: 1 },
    ],
  });
});

Deno.test("toSubjectResult() throws for a fault of the kit and for a run without cases", () => {
  for (const bad of [report(), report(result("runtime/a/b", "kit_fault"))]) {
    assertThrows(() => toSubjectResult(LOOP, bad, CASES), KitError, 'Cannot report "a-loop"');
  }
});

Deno.test("toStableLine() replaces values that differ between runs and truncates long lines", () => {
  assertEquals(
    toStableLine('{"id":"0b8f0f36-6f0e-4f7e-8a55-0123456789ab","at":"2026-01-02T03:04:05Z"}'),
    '{"id":"<uuid>","at":"<time>"}',
  );
  assertEquals(
    toStableLine("at file:///home/me/parley/conformance/x.ts and /home/me/.cache/npm/y.js"),
    "at conformance/x.ts and npm/y.js",
  );
  assertEquals(toStableLine("x".repeat(500)).length, 161);
});

Deno.test("formatImplementations() counts cases, groups them by note and escapes table cells", () => {
  const page = formatImplementations([{
    subject: LOOP,
    result: toSubjectResult(LOOP, REPORT, CASES),
  }]);
  const lines = [
    "## Agent loops (runtime)\n",
    "| A \\<loop\\> | `@them/loop` 1.2.3 | typescript | 1 | 1 | 0 | 1 | 1 | 2 | 2026-01-02, 0.1.0 |\n",
    "`deno task kit:third-party a-loop`; identifies itself as `loop 1`. Set up as its documentation shows.\n",
    "It throws at the limit.\n\n- `runtime/stop/b` MUST: expected x\\`y, got took \\<n\\> ms",
    "Other failing cases:\n\n- `runtime/loop/z` (stdio) difference (SHOULD): expected a response, but the process exited within",
    "with the number of cases:\n\n- not here (1)\n",
    "with the number of cases:\n\n- no operation: `x` (1), `y` (1)\n",
  ];
  for (const line of lines) assertStringIncludes(page, line);
});

Deno.test("markValues() formats values as code and words as prose", () => {
  for (
    const [text, markdown] of [
      ["a response within <n> ms", "a response within \\<n\\> ms"],
      ["403 at $.status", "`403` at `$.status`"],
      ['"a" in {"code":"a"}', '`"a"` in `{"code":"a"}`'],
      ["a string that matches /^x/ at $.a[0]", "a string that matches `/^x/` at `$.a[0]`"],
      ["an array of length 1: [7]", "an array of length 1: `[7]`"],
      ['a call to tool "add"', "a call to tool `add`"],
      ["only GET /mcp", "only `GET /mcp`"],
      ["an unexpected exception: Error: x", "an unexpected exception: `Error: x`"],
      ["true", "`true`"],
    ] as const
  ) {
    assertEquals(markValues(text), markdown);
  }
});

Deno.test("markNames() formats quoted names as code and escapes the other text", () => {
  assertEquals(markNames('the server has no "a_b" <x>'), "the server has no `a_b` \\<x\\>");
});

Deno.test("findStaleNotes() returns the notes without a failing case", () => {
  const found = toSubjectResult(LOOP, REPORT, CASES);
  assertEquals(findStaleNotes(LOOP, found), []);
  assertEquals(findStaleNotes(LOOP, { ...found, red: [] }).length, 1);
});

Deno.test("toSubject() inserts the version, splits the command and supports every kind of access", () => {
  const words = toSubject(LOOP).driver?.command ?? [];
  assertEquals(words.slice(0, 3), ["deno", "run", "-A"]);
  assertEquals(words.slice(-2), ["a b.ts", "npm:@them/loop@1.2.3"]);
  const command = "x {version} {port}";
  const reached = (access: ThirdPartySubject["access"]): object => toSubject({ ...LOOP, access });
  const errorMap = { theirs: "core" };
  assertEquals(reached({ kind: "driver", command, errorMap }), {
    driver: { command: ["x", "1.2.3", "{port}"], errorMap },
  });
  assertEquals(reached({ kind: "stdio", command }), { server: ["x", "1.2.3", "{port}"] });
  assertEquals(reached({ kind: "client", command }), { client: ["x", "1.2.3", "{port}"] });
  assertEquals(reached({ kind: "http", command, url: "http://127.0.0.1:{port}/mcp" }), {
    url: "http://127.0.0.1:{port}/mcp",
    start: ["x", "1.2.3", "{port}"],
  });
});

Deno.test("chooseSubjects() returns the named subjects in list order and throws for unknown names", () => {
  const other = { ...LOOP, name: "b-loop" };
  assertEquals(chooseSubjects([LOOP, other], []), [LOOP, other]);
  assertEquals(chooseSubjects([LOOP, other], ["b-loop", "a-loop"]), [LOOP, other]);
  assertThrows(
    () => chooseSubjects([LOOP, other], ["c"]),
    KitError,
    'Cannot find subject "c": expected one of a-loop, b-loop',
  );
});

Deno.test("every subject has a unique name and the installed version", () => {
  const names = THIRD_PARTY_SUBJECTS.map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
  for (const subject of THIRD_PARTY_SUBJECTS) {
    const specifiers = INSTALLED.flatMap((imports) => imports.get(subject.package) ?? []);
    if (specifiers.length === 0) {
      // If no workspace lists the package, the command must contain its version.
      assertStringIncludes(subject.access.command, "{version}", subject.name);
    } else {
      assert(specifiers.includes(`npm:${subject.package}@${subject.version}`), subject.name);
    }
    assert(/^[\w-]+$/.test(subject.name), subject.name);
  }
});
