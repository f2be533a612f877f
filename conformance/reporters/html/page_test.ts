import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Report } from "../../kit/report.ts";
import type { CaseResult, Verdict } from "../../kit/verdict.ts";
import { loadSuite } from "../../suite.ts";
import { SCRIPT } from "./assets.ts";
import { html, trustedMarkup } from "./markup.ts";
import { formatHtml } from "./page.ts";

const SUITE = loadSuite();

function result(id: string, verdict: Verdict, more: Partial<CaseResult> = {}): CaseResult {
  const title = SUITE.get(id)?.title ?? id;
  return { id, title, rev: "00000000", verdict, level: "MUST", isRequired: true, ms: 1, ...more };
}

function page(results: readonly CaseResult[], more: Partial<Report> = {}): string {
  const report: Report = {
    report: 2,
    kit: "0.1.0",
    subjects: [{ name: "mine", version: "2", language: "go" }],
    startedAt: "2026-01-02T03:04:05.678Z",
    ms: 1500,
    results,
    stale: [],
    isInterrupted: false,
    ...more,
  };
  const text = formatHtml(report, { suite: SUITE, again: "parley-kit run --driver x --only" });
  return text.replace(/\s+/g, " ");
}

const ID = "comm/canonical-json/sample";

Deno.test("html escapes text and keeps markup", () => {
  const inner = html`<i>${"<'\"&"}</i>`;
  assertEquals(html`${inner}${[1, undefined, "a"]}`.text, "<i>&lt;&#39;&quot;&amp;</i>1a");
  assertEquals(html`<style>${trustedMarkup("a>b{}")}</style>`.text, "<style>a>b{}</style>");
});

Deno.test("formatHtml() shows the clause, consequence, difference and command of a failure", () => {
  const text = page([
    result(ID, "fail", {
      sent: "comm.canonicalize {}",
      expected: '"1e+30" at $.text',
      got: '"1e30" in {…}',
      difference: { at: "$.text", expected: "1e+30", got: "1e30" },
      trace: ["1 ms → x"],
    }),
  ]);
  const words = [
    "1 of 1 tested required case failed.",
    "<b>MUST 0 passed, 1 failed</b>",
    `<code>${ID}</code>`,
    SUITE.get(ID)?.title ?? "no title",
    SUITE.get(ID)?.why ?? "no consequence",
    "<pre>1e<mark>+</mark>30</pre>",
    "<code>$.text</code>",
    '<pre class="got">1e30</pre>',
    "COMM-JCS-1",
    "RFC 8785 §3.2.1",
    `parley-kit run --driver x --only ${ID} --trace`,
    "1 ms → x",
  ];
  for (const word of words) assertStringIncludes(text, word);
});

Deno.test("formatHtml() shows the text of an expectation that is an expression", () => {
  const difference = { at: "$.id", expected: { $type: "string" }, got: 7 };
  const text = page([
    result(ID, "fail", { expected: 'type "string" at $.id', got: "7 in {…}", difference }),
  ]);
  assertStringIncludes(text, "<pre>type &quot;string&quot;</pre>");
  assertStringIncludes(text, '<pre class="got">7</pre>');
});

Deno.test("formatHtml() shows known failures, stale entries, and reasons for cases without a result", () => {
  const text = page([
    result(ID, "pass"),
    result("comm/canonical-json/sample-utf8", "known", { got: "x" }),
    result("comm/noop/a", "untestable", { note: "the control did not pass", failedControl: ID }),
    result("comm/noop/b", "n/a", { note: "no sessions" }),
    result("comm/noop/c", "n/a", { note: "no sessions" }),
  ], { stale: [{ id: "comm/x/y", reason: "comm/x/y passes" }] });
  const words = [
    "1 of 2 tested required cases passed, 1 known.",
    "1 baseline entry is stale",
    "Known failures, listed in the baseline <small>1</small>",
    "<code>comm/x/y</code> comm/x/y passes",
    "1 · the control did not pass",
    "2 · no sessions",
    "comm/canonical-json · 1",
  ];
  for (const word of words) assertStringIncludes(text, word);
});

Deno.test("formatHtml() lists the fixtures that a server lacks", () => {
  const text = page([
    result(ID, "pass"),
    result("comm/noop/a", "untestable", { note: "x", missingFixtures: ["tool:a"] }),
    result("comm/noop/b", "untestable", { note: "y", missingFixtures: ["tool:b", "tool:c"] }),
  ]);
  const words = [
    "Add these fixtures <small>to run 2 more cases</small>",
    "<li><code>tool:a</code> <b>1</b></li>",
    "<li><code>tool:b</code> + <code>tool:c</code> <b>1</b></li>",
    "<summary>2 · the server lacks fixtures</summary>",
  ];
  for (const word of words) assertStringIncludes(text, word);
});

Deno.test("formatHtml() links an untestable case to the failure of its control", () => {
  const text = page([
    result(ID, "fail"),
    result("comm/noop/a", "untestable", { note: "no", failedControl: ID }),
  ]);
  const anchor = "case-comm.canonical-json.sample";
  assertStringIncludes(text, `<article class="case" id="${anchor}"`);
  assertStringIncludes(text, `<a href="#${anchor}">failure of the control ${ID}</a>`);
});

Deno.test("formatHtml() escapes all text of the subject and allows only the script of the page", () => {
  const bad = `</script><img src=x onerror="a()">'`;
  const text = formatHtml({
    report: 2,
    kit: "0.1.0",
    subjects: [{ name: bad, version: bad, language: bad, url: "javascript:a()" }],
    startedAt: "2026-01-02T03:04:05.678Z",
    ms: 1,
    results: [
      result(ID, "fail", {
        ...{ sent: bad, expected: bad, got: bad, note: bad, stderr: bad, trace: [bad] },
        difference: { at: bad, expected: bad, got: { [bad]: bad } },
      }),
      result("comm/noop/a", "untestable", { note: bad }),
    ],
    stale: [{ id: bad, reason: bad }],
    isInterrupted: false,
  }, { suite: SUITE, again: bad });
  assert(!text.includes("<img") && !text.includes("javascript:"));
  assertEquals(text.split("<script>").length, 2);
  assertStringIncludes(text, `<script>${SCRIPT}</script>`);
  assert(/Content-Security-Policy" content="default-src &#39;none&#39;;/.test(text), text);
  assert(!/(src|href)="(?!#|data:|https:\/\/)/.test(text));
});
