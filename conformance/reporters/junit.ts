/**
 * Reports in JUnit XML, which most CI systems support.
 *
 * @module
 */

import { describeIncomplete, groupOf, outcomeOf } from "../kit/counts.ts";
import type { Report } from "../kit/report.ts";
import { type CaseResult, describeFailure, describeState, Verdict } from "../kit/verdict.ts";
import { areaOf, groupResults } from "./group_results.ts";

/** Elements that a test case of JUnit can contain, and `passed` for a test case without them. */
type JunitOutcome = "failure" | "error" | "skipped" | "passed";

/**
 * Formats a report: one test suite per area, one test case per result. The property `counted` of a
 * test case is the group and the outcome under which the result is counted, such as `must.passed`.
 *
 * Proposed and disputed cases are skipped, and the message contains the reason. Cases that are not
 * required never fail in JUnit: a failure of such a case is described in
 * `system-out`. If required cases were not run, the suite `run` contains an error. In a strict run,
 * a required case that is untestable is an error, because it proves nothing about the subject.
 */
export function formatJunit(report: Report): string {
  const { results, stale } = report;
  const incomplete = describeIncomplete(report);
  const count = (outcome: JunitOutcome): number => countOutcome(results, outcome);
  const extra = incomplete === undefined ? 0 : 1;
  const totals = [
    `tests="${results.length + stale.length + extra}"`,
    `failures="${count("failure") + stale.length}"`,
    `errors="${count("error") + extra}" skipped="${count("skipped")}"`,
  ].join(" ");
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="parley-kit ${report.kit}" ${totals} time="${report.ms / 1000}">`,
    ...[...groupResults(results, ({ id }) => areaOf(id))].map(([area, own]) =>
      formatSuite(area, own)
    ),
    ...stale.map(({ id, reason }) => formatStale(id, reason)),
    ...(incomplete === undefined ? [] : [formatIncomplete(incomplete)]),
    "</testsuites>",
    "",
  ].join("\n");
}

function formatSuite(area: string, results: readonly CaseResult[]): string {
  const count = (outcome: JunitOutcome): number => countOutcome(results, outcome);
  return [
    `  <testsuite name="${escape(area)}" tests="${results.length}" failures="${
      count("failure")
    }" errors="${count("error")}" skipped="${count("skipped")}">`,
    ...results.map(formatCase),
    "  </testsuite>",
  ].join("\n");
}

function countOutcome(results: readonly CaseResult[], outcome: JunitOutcome): number {
  return results.filter((result) => junitOutcome(result) === outcome).length;
}

function junitOutcome(result: CaseResult): JunitOutcome {
  const outcome = outcomeOf(result);
  if (outcome === "kitFaults" || result.countsAsFailure === true) return "error";
  if (result.state !== undefined && outcome !== "passed") return "skipped";
  if (outcome === "failed") return result.isRequired ? "failure" : "passed";
  return outcome === "passed" ? "passed" : "skipped";
}

function formatCase(result: CaseResult): string {
  const { id, transport, ms, level, verdict } = result;
  const name = transport === undefined ? id : `${id} (${transport})`;
  const counted = `${groupOf(result)}.${outcomeOf(result)}`;
  return [
    `    <testcase name="${escape(name)}" classname="${areaOf(id)}" time="${ms / 1000}">`,
    `<properties><property name="level" value="${level}"/>`,
    `<property name="verdict" value="${verdict}"/>`,
    `<property name="counted" value="${counted}"/></properties>`,
    formatBody(result),
    "</testcase>",
  ].join("");
}

function formatBody(result: CaseResult): string {
  if (result.verdict === Verdict.Pass) return "";
  const { level } = result;
  const outcome = junitOutcome(result);
  const reasons = [describeState(result), describeFailure(result)];
  const message = escape(reasons.filter((reason) => reason !== undefined).join("; "));
  if (outcome === "skipped") return `<skipped message="${message}"/>`;
  const facts = [
    result.sent && `sent: ${result.sent}`,
    result.expected && `expected: ${result.expected}`,
    result.got && `got: ${result.got}`,
  ].filter((fact) => fact !== undefined && fact !== "").join("\n");
  const trace = result.trace?.join("\n") ?? "";
  if (outcome === "passed") {
    return systemOut([`${level} not met: ${describeFailure(result)}`, facts, trace]);
  }
  const type = outcome === "failure" ? ` type="level=${level}"` : "";
  return `<${outcome}${type} message="${message}">${escape(facts)}</${outcome}>${
    systemOut([trace])
  }`;
}

function systemOut(parts: readonly string[]): string {
  const text = parts.filter((part) => part !== "").join("\n");
  return text === "" ? "" : `<system-out>${escape(text)}</system-out>`;
}

function formatStale(id: string, reason: string): string {
  const failure = `<failure type="stale" message="${escape(reason)}"/>`;
  return `  <testsuite name="baseline" tests="1" failures="1" errors="0" skipped="0"><testcase name="${
    escape(id)
  }">${failure}</testcase></testsuite>`;
}

function formatIncomplete(reason: string): string {
  return `  <testsuite name="run" tests="1" failures="0" errors="1" skipped="0"><testcase name="all required cases were run"><error message="${
    escape(reason)
  }"/></testcase></testsuite>`;
}

/**
 * Escapes text for XML. Control characters are replaced, because XML 1.0 forbids most of them even
 * if escaped.
 */
function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\n": "&#10;",
  };
  return text.replace(/[&<>"\n]/g, (character) => entities[character] ?? "")
    .replace(/[^\t\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
}
