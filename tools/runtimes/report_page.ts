/**
 * Tests the HTML report of the conformance kit in Chromium.
 *
 * @module
 */

import { type CaseResult, loadSuite, type Report, type Verdict } from "@parley/conformance";
import type { Browser, Page } from "playwright-core";
import { formatHtml } from "../../conformance/reporters/html/page.ts";
import { ToolError } from "../cli.ts";
import { auditPage, HOSTILE } from "./audit_page.ts";

/** Writes the report of a subject with hostile output to a file, and uses the report. */
export async function useReportPage(browser: Browser): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "parley-report-" });
  try {
    const path = `${folder}/report.html`;
    const options = { suite: loadSuite(), again: `parley-kit run --driver '${HOSTILE}' --only` };
    await Deno.writeTextFile(path, formatHtml(hostileReport(), options));
    const url = `file://${path}`;
    await auditPage(browser, url, useFilters);
    await readWithoutScript(browser, url);
    await print(browser, url);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Creates a report with hostile text from the subject in as many fields as possible. */
function hostileReport(): Report {
  const cases = [...loadSuite().values()];
  const result = (index: number, verdict: Verdict, more: Partial<CaseResult> = {}): CaseResult => {
    const each = cases[index];
    if (each === undefined) throw new ToolError(`Cannot use case ${index}: too few cases`);
    const { id, title, level } = each;
    return { id, title, level, rev: "00000000", isRequired: true, ms: 1, verdict, ...more };
  };
  const control = result(0, "fail", {
    sent: HOSTILE,
    expected: '"expected text" at $.text',
    got: HOSTILE,
    difference: { at: "$.text", expected: "expected text", got: `expected ${HOSTILE} text` },
    trace: [HOSTILE, `2 ms ← ${HOSTILE}`],
    stderr: HOSTILE,
    note: HOSTILE,
  });
  const { id: failedControl } = control;
  return {
    report: 2,
    kit: "0.1.0",
    subjects: [{ name: HOSTILE, version: HOSTILE, language: HOSTILE, url: "javascript:alert(1)" }],
    requirements: [{ name: "comm.1", digest: "0".repeat(64), cases: 9 }],
    startedAt: "2026-01-02T03:04:05.678Z",
    ms: 1500,
    results: [
      control,
      result(1, "crash", { expected: "a response", got: HOSTILE, transport: "stdio" }),
      result(2, "fail", {
        expected: 'type "string" at $.list[0]',
        difference: { at: "$.list[0]", expected: { $type: "string" }, got: [HOSTILE] },
        level: "SHOULD",
        isRequired: false,
      }),
      result(3, "hang"),
      result(4, "known", { got: HOSTILE }),
      result(5, "untestable", { note: HOSTILE, failedControl }),
      result(6, "n/a", { note: HOSTILE }),
      result(7, "not_run", { note: HOSTILE }),
      result(8, "pass"),
    ],
    stale: [{ id: HOSTILE, reason: HOSTILE }],
    isInterrupted: true,
  };
}

async function useFilters(page: Page): Promise<void> {
  const shown = async (): Promise<number> => await page.locator("article:visible").count();
  assertCount("cards of the page", await shown(), 5);
  await page.click('button[data-filter="SHOULD"]');
  assertCount("cards of the level SHOULD", await shown(), 1);
  await page.click('button[data-filter=""]');
  await page.fill("#search", "a response");
  assertCount('cards with the text "a response"', await shown(), 1);
  await page.fill("#search", "");
  await page.locator("a.bad").first().click();
  if (await shown() === 5) throw new ToolError("A cell of the matrix does not filter the cards");
}

async function readWithoutScript(browser: Browser, url: string): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(url);
  assertCount("cards without JavaScript", await page.locator("article:visible").count(), 5);
  assertCount("buttons without JavaScript", await page.locator("button:visible").count(), 0);
  await context.close();
}

async function print(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage();
  await page.goto(url);
  const { byteLength } = await page.pdf({ format: "A4" });
  if (byteLength < 10_000) throw new ToolError(`The printed report has only ${byteLength} bytes`);
  await page.close();
}

function assertCount(what: string, got: number, expected: number): void {
  if (got !== expected) throw new ToolError(`Expected ${expected} ${what}, got ${got}`);
}
