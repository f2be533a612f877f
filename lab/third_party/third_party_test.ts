import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import interop from "../../interop/deno.json" with { type: "json" };
import drivers from "../drivers/third_party/deno.json" with { type: "json" };
import { KitError } from "../../conformance/kit/error.ts";
import type { Report } from "../../conformance/kit/report.ts";
import type { CaseResult, Verdict } from "../../conformance/kit/verdict.ts";
import { findSets } from "../../conformance/kit/requirements.ts";
import { describeSet } from "../../conformance/runner/plan.ts";
import { loadSuite } from "../../conformance/suite.ts";
import { formatImplementations } from "./markdown.ts";
import { formatMatrixPage } from "./matrix_html.ts";
import { compareRuns } from "./gate.ts";
import type { ReportEntry } from "./report_entry.ts";
import { findStaleNotes, type SubjectResult, toSubjectResult } from "./result.ts";
import { toStableLine } from "./stable_line.ts";
import { formatKnownFailures, KNOWN_FAILURES, readResults, toEntries } from "./stored_results.ts";
import { chooseSubjects, programOf, type ThirdPartySubject, toSubject } from "./subject.ts";
import { THIRD_PARTY_SUBJECTS } from "./subjects.ts";

/** Packages in the import maps of the third-party drivers and of `interop/`. */
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
  notes: [{ cases: ["mcp/stop/*"], text: "It throws at the limit." }],
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

/** Result of two runs with the same report. */
function toResult(run: Report, subject = LOOP): SubjectResult {
  return toSubjectResult(subject, run, compareRuns(run.results, run.results));
}

function report(...results: readonly CaseResult[]): Report {
  return {
    report: 2,
    kit: "0.1.0",
    subjects: [{ name: "loop", version: "1" }],
    startedAt: "2026-01-02T03:04:05.678Z",
    ms: 1500,
    requirements: [{ name: "mcp-2025-11-25.1", digest: "3f2a91c0aaaa", cases: 6 }],
    results,
    stale: [],
    isInterrupted: false,
  };
}

const REPORT = report(
  result("mcp/stop/b", "fail", {
    basis: "mcp@2025-11-25",
    expected: "x`y",
    got: "took 17.5 ms\n  at 127.0.0.1:4711",
  }),
  result("runtime/loop/z", "crash", {
    basis: "decision",
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
  assertEquals(toResult(REPORT), {
    name: "a-loop",
    version: "1.2.3",
    says: "loop 1",
    set: "mcp-2025-11-25.1",
    digest: "3f2a91c0aaaa",
    errata: [],
    kit: "0.1.0",
    date: "2026-01-02",
    runs: 2,
    passed: 1,
    areas: {
      "runtime/loop": {
        passed: 1,
        must: 0,
        should: 0,
        differences: 1,
        notApplicable: 1,
        untestable: 2,
        unstable: 0,
      },
      "mcp/stop": {
        passed: 0,
        must: 1,
        should: 0,
        differences: 0,
        notApplicable: 0,
        untestable: 0,
        unstable: 0,
      },
    },
    red: [
      {
        id: "mcp/stop/b",
        level: "MUST",
        basis: "mcp@2025-11-25",
        verdict: "fail",
        expected: "x`y",
        got: "took <n> ms at 127.0.0.1:<port>",
      },
      {
        id: "runtime/loop/z",
        transport: "stdio",
        level: "SHOULD",
        basis: "decision",
        verdict: "crash",
        expected: "a response",
        got: "no response: the process exited within <n> ms",
      },
    ],
    unstable: [],
    leftOut: [
      { verdict: "n/a", reason: "not here", count: 1 },
      { verdict: "untestable", reason: 'no operation "x"', count: 1 },
      { verdict: "untestable", reason: 'no operation "y"', count: 1 },
    ],
  });
});

Deno.test("toSubjectResult() counts decisions, and the runtime's own specification, as differences", () => {
  const failing = (id: string, basis: string, more: Partial<CaseResult> = {}): CaseResult =>
    result(id, "fail", { basis, ...more });
  const { areas } = toResult(report(
    failing("runtime/stop/a", "spec"),
    failing("runtime/stop/b", "decision"),
    failing("runtime/stop/c", "contract:anthropic"),
    failing("runtime/stop/d", "contract:anthropic", { level: "SHOULD" }),
    failing("mcp/stop/a", "decision"),
    failing("mcp/stop/b", "spec"),
    result("mcp/stop/c", "fail"),
  ));
  const none = { passed: 0, notApplicable: 0, untestable: 0, unstable: 0 };
  assertEquals(areas, {
    "mcp/stop": { ...none, must: 1, should: 0, differences: 2 },
    "runtime/stop": { ...none, must: 1, should: 1, differences: 2 },
  });
});

Deno.test("toStableLine() replaces values that differ between runs and truncates long lines", () => {
  assertEquals(
    toStableLine('{"id":"0b8f0f36-6f0e-4f7e-8a55-0123456789ab","at":"2026-01-02T03:04:05Z"}'),
    '{"id":"<uuid>","at":"<time>"}',
  );
  assertEquals(
    toStableLine("at file:///home/me/parley/lab/x.ts and /home/me/.cache/npm/y.js"),
    "at lab/x.ts and npm/y.js",
  );
  assertEquals(toStableLine("x".repeat(500)).length, 161);
});

Deno.test("formatImplementations() counts cases by kind and level and escapes table cells", () => {
  const page = formatImplementations([{
    subject: LOOP,
    result: toResult(REPORT),
    isOlder: false,
    disputed: [],
  }]);
  const parts = [
    "**1 of 1 program fail a MUST of a public specification, for 1 cause.**",
    "## Agent loops\n",
    "| A \\<loop\\> | 1.2.3 | typescript | 1 | 1 | 0 | 1 | 0 | 1 | 1 | 2 | " +
    "mcp-2025-11-25.1, digest 3f2a91c0, kit 0.1.0, 2026-01-02, 2 runs that agree |\n",
  ];
  for (const part of parts) assertStringIncludes(page, part);
});

Deno.test("formatMatrixPage() shows areas, notes and failing cases, and escapes all text", () => {
  const page = formatMatrixPage([{
    subject: LOOP,
    result: toResult(REPORT),
    isOlder: false,
    disputed: [],
  }]);
  const parts = [
    "<b>1 of 1 programs fail a MUST</b> of a public specification, for 1 cause.",
    '<th scope="row"><a href="#a-loop">A &lt;loop&gt;</a></th>',
    'class="bad" href="#a-loop--mcp.stop.b" aria-label="0/1, A &lt;loop&gt;, mcp/stop: a MUST fails">0/1</a>',
    'class="plain" href="#a-loop--runtime.loop.z--stdio"',
    "<summary>It throws at the limit. (1)</summary>",
    "<summary>Differences from decisions of this project, which are not failures (1)</summary>",
    '<li id="a-loop--mcp.stop.b">',
    "<code>x`y</code>",
    "Cases that are not applicable or untestable (3)",
  ];
  for (const part of parts) assertStringIncludes(page.replace(/\s+/g, " "), part);
  assertEquals(/<script|https?:(?!\/\/www\.w3\.org\/2000\/svg)/.test(page), false);
});

Deno.test("findStaleNotes() returns the notes without a failing case, unless no case was selected", () => {
  const found = toResult(REPORT);
  const ids = new Set(["mcp/stop/b"]);
  assertEquals(findStaleNotes(LOOP, found, ids), []);
  assertEquals(findStaleNotes(LOOP, { ...found, red: [] }, ids).length, 1);
  assertEquals(findStaleNotes(LOOP, { ...found, red: [] }, new Set(["mcp/other/b"])), []);
  const unstable = [{ id: "mcp/stop/b", runs: ["fail", "pass"] }] as const;
  assertEquals(findStaleNotes(LOOP, { ...found, red: [], unstable }, ids), []);
});

/** Entry of a subject whose MUST cases with the given ids fail. */
function entry(subject: Partial<ThirdPartySubject>, ...ids: readonly string[]): ReportEntry {
  const results = ids.map((id) => result(id, "fail", { basis: "jsonrpc" }));
  const whole = { ...LOOP, ...subject };
  return {
    subject: whole,
    result: toResult(report(...results), whole),
    isOlder: false,
    disputed: [],
  };
}

Deno.test("the reports show the statement of a maintainer, and mark older rows", () => {
  const maintainerNote = { text: "We <disagree>.", by: "Ann", date: "2026-12-01" };
  const older = { ...entry({ maintainerNote }), isOlder: true };
  const summary = formatImplementations([older]);
  assertStringIncludes(
    summary,
    "> We \\<disagree\\>.\n> (A \\<loop\\>: Ann, maintainer, 2026-12-01)",
  );
  assertStringIncludes(summary, "The results of 1 program are older");
  const page = formatMatrixPage([older]);
  assertStringIncludes(page, "<p>We &lt;disagree&gt;.</p>");
  assertStringIncludes(page, '<span class="chip">earlier cases</span>');
  assertEquals(formatMatrixPage([entry({})]).includes("earlier cases</span>"), false);
});

Deno.test("toEntries() omits failing cases of the level MAY", async () => {
  const [stored] = await readResults();
  if (stored === undefined) throw new Error("no results are stored");
  const [may, should] = ["MAY", "SHOULD"].map((level) => ({
    ...{ id: `comm/a/${level}`, basis: "rfc8785", verdict: "fail", expected: "", got: "" } as const,
    level: level === "MAY" ? "MAY" as const : "SHOULD" as const,
  }));
  if (may === undefined || should === undefined) throw new Error("no cases");
  const [found] = toEntries([{ ...stored, red: [may, should] }]);
  assertEquals(found?.result.red, [should]);
});

Deno.test("toEntries() marks results of other sets and digests as older", async () => {
  const [stored] = await readResults();
  if (stored === undefined) throw new Error("no results are stored");
  const isOlder = (set: string, digest?: string): boolean | undefined =>
    toEntries([{ ...stored, set, ...(digest === undefined ? {} : { digest }) }])[0]?.isOlder;
  const [comm] = findSets(["comm"]);
  const set = comm && describeSet(comm, loadSuite());
  assertEquals(isOlder(set?.name ?? "", set?.digest), false);
  assertEquals(isOlder(set?.name ?? "", "00000000"), true);
  assertEquals(isOlder("draft of 2026-11-23"), true);
});

Deno.test("configurations of a program share its title, package and version", () => {
  const programs = new Map<string, string>();
  for (const subject of THIRD_PARTY_SUBJECTS) {
    const { title, language, maintainerNote } = subject;
    const text = JSON.stringify([title, subject.package, subject.version, language]);
    const known = programs.get(programOf(subject)) ?? text;
    programs.set(programOf(subject), known);
    assertEquals(text, known, subject.name);
    assert((maintainerNote?.text.length ?? 0) <= 500, subject.name);
  }
});

Deno.test("formatKnownFailures() lists each failing case once for each implementation", async () => {
  const found = toResult(REPORT);
  const twice = {
    ...found,
    red: found.red.flatMap((each) => [each, { ...each, transport: "http" }]),
  };
  assertEquals(JSON.parse(formatKnownFailures([twice, { ...found, name: "good", red: [] }])), {
    "a-loop 1.2.3": ["mcp/stop/b", "runtime/loop/z"],
  });
  const stored = formatKnownFailures(await readResults());
  assertEquals(await Deno.readTextFile(KNOWN_FAILURES), stored, "known_failures.json is stale");
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

Deno.test("every subject has a unique name and the installed version", async () => {
  const names = THIRD_PARTY_SUBJECTS.map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
  for (const subject of THIRD_PARTY_SUBJECTS) {
    assert(/^[\w-]+$/.test(subject.name), subject.name);
    const packages = subject.package.split(", ");
    const versions = subject.version.split(", ");
    assertEquals(packages.length, versions.length, subject.name);
    for (const [index, name] of packages.entries()) {
      await assertInstalled(subject, name, versions[index] ?? "");
    }
  }
});

/** Files in which projects pin the versions of packages. */
const MANIFESTS: Readonly<Record<string, string>> = {
  go: "go.mod",
  java: "pom.xml",
  python: "requirements.txt",
  rust: "Cargo.toml",
};

async function assertInstalled(
  { name: subject, access, build }: ThirdPartySubject,
  name: string,
  version: string,
): Promise<void> {
  if (build !== undefined) {
    const [language = ""] = build.split("/");
    const path = `../drivers/third_party/${build}/${MANIFESTS[language]}`;
    const text = await Deno.readTextFile(new URL(path, import.meta.url));
    const artifact = name.replace(/.*:/, "");
    const found = text.split(artifact).some((rest, index) =>
      index > 0 && rest.slice(0, 60).includes(version)
    );
    assert(found, `${subject}: ${path} lacks ${artifact} ${version}`);
    return;
  }
  const specifiers = INSTALLED.flatMap((imports) => imports.get(name) ?? []);
  if (specifiers.length === 0) {
    // If no workspace lists the package, the command must contain its version.
    assertStringIncludes(access.command, "{version}", subject);
  } else {
    assert(specifiers.includes(`npm:${name}@${version}`), subject);
  }
}
