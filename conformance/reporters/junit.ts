/**
 * Reports in JUnit XML, which most CI systems support.
 *
 * @module
 */

import { countResults, type Report } from "../kit/report.ts";
import { type CaseResult, describeFailure, isFailure, Verdict } from "../kit/verdict.ts";
import { areaOf, groupResults } from "./group_results.ts";

/** Formats a report: one test suite per area, one test case per result. */
export function formatJunit(report: Report): string {
  const { failed, passed } = countResults(report);
  const suites = [...groupResults(report.results, ({ id }) => areaOf(id))].map(
    ([area, results]) => {
      const failures = results.filter(isRequiredFailure).length;
      return [
        `  <testsuite name="${escape(area)}" tests="${results.length}" failures="${failures}">`,
        ...results.map(formatCase),
        "  </testsuite>",
      ].join("\n");
    },
  );
  const tests = report.results.length + report.stale.length;
  const totals = `tests="${tests}" failures="${failed}" skipped="${tests - failed - passed}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="parley-kit ${report.kit}" ${totals} time="${report.ms / 1000}">`,
    ...suites,
    ...report.stale.map(({ id, reason }) => formatStale(id, reason)),
    "</testsuites>",
    "",
  ].join("\n");
}

function formatCase(result: CaseResult): string {
  const { id, transport, ms } = result;
  const name = transport === undefined ? id : `${id} (${transport})`;
  const head = `    <testcase name="${escape(name)}" classname="${areaOf(id)}" time="${ms / 1000}"`;
  const body = formatBody(result);
  return body === "" ? `${head}/>` : `${head}>${body}</testcase>`;
}

function formatBody(result: CaseResult): string {
  if (result.verdict === Verdict.Pass) return "";
  const message = escape(describeFailure(result));
  if (!isRequiredFailure(result)) return `<skipped message="${message}"/>`;
  const facts = [
    result.sent && `sent: ${result.sent}`,
    result.expected && `expected: ${result.expected}`,
    result.got && `got: ${result.got}`,
  ].filter(Boolean).join("\n");
  const trace = result.trace === undefined
    ? ""
    : `<system-out>${escape(result.trace.join("\n"))}</system-out>`;
  return `<failure message="${message}">${escape(facts)}</failure>${trace}`;
}

function formatStale(id: string, reason: string): string {
  const failure = `<failure message="${escape(reason)}"/>`;
  return `  <testsuite name="baseline" tests="1" failures="1"><testcase name="${
    escape(id)
  }">${failure}</testcase></testsuite>`;
}

function isRequiredFailure(result: CaseResult): boolean {
  return isFailure(result) && result.isRequired;
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
