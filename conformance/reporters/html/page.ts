/**
 * Reports as an HTML page: one file without external resources, readable without JavaScript.
 *
 * @module
 */

import type { Suite } from "../../kit/load_cases.ts";
import { pluralize } from "../../kit/pluralize.ts";
import {
  countLacking,
  countResults,
  type Counts,
  describeIncomplete,
  exitCode,
  failureWord,
  formatCounts,
  outcomeOf,
} from "../../kit/counts.ts";
import type { Report } from "../../kit/report.ts";
import {
  type CaseResult,
  describeState,
  describeVerdict,
  isFailure,
  Verdict,
} from "../../kit/verdict.ts";
import { sha256Base64 } from "../../platform/crypto.ts";
import { SCRIPT, STYLE } from "./assets.ts";
import { html, type Markup, trustedMarkup } from "./markup.ts";
import { formatMatrix } from "./matrix.ts";
import { isGrouped } from "../reasons.ts";
import { formatFixtures, formatPassed, formatReasons, section } from "./lists.ts";
import { anchorOf, formatCard } from "./result_card.ts";

/** Data that the page shows in addition to the report. */
export interface PageOptions {
  /** Cases of the run, for titles, consequences and clauses. */
  readonly suite: Suite;
  /**
   * Command that reruns a case, without the case id, such as `parley-kit run --driver x --only`.
   */
  readonly again: string;
}

/** Formats a report as a self-contained HTML page. */
export function formatHtml(report: Report, { suite, again }: PageOptions): string {
  const { results } = report;
  const counted = results.filter(({ state }) => state === undefined);
  const shown = counted.filter((each) => isFailure(each) && !isGrouped(each));
  const faults = shown.filter((each) => outcomeOf(each) === "kitFaults");
  const outcomes = shown.filter((each) => outcomeOf(each) === "failed");
  const failed = outcomes.filter(({ isRequired }) => isRequired);
  const notMet = outcomes.filter((each) => !each.isRequired && each.isDifference !== true);
  const different = outcomes.filter(({ isDifference }) => isDifference === true);
  const known = results.filter(({ verdict }) =>
    verdict === Verdict.Known || verdict === Verdict.KnownFlaky
  );
  const cards = (list: readonly CaseResult[]): readonly Markup[] =>
    list.map((each) => formatCard(each, suite.get(each.id), again));
  const carded = new Set(shown.map(anchorOf));
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="${policy()}">
        <title>${formatTitle(report)}</title>
        <link rel="icon" href="${icon(isGood(report))}">
        <style>${trustedMarkup(STYLE)}</style>
      </head>
      <body>
    ${formatHeader(report, suite)}
    ${formatFilter(report)}
    <main>
    <h2>Areas <small>passed of tested</small></h2>
    ${formatMatrix(counted)}
    ${section("Failed", failed.length, cards(failed), "failed")}
    ${section("Errors in the kit", faults.length, cards(faults))}
    ${section("Not met, not required", notMet.length, cards(notMet))}
    ${section("Differences from Parley", different.length, cards(different))}
    ${formatUncounted(report)}
    ${section("Stale baseline entries", report.stale.length, [
      html`<ul class="list">${
        report.stale.map(({ id, reason }) => html`<li><code>${id}</code> ${reason}</li>`)
      }</ul>`,
    ])}
    ${section("Known failures, listed in the baseline", known.length, cards(known))}
    ${formatFixtures(results)}
    ${formatReasons("Not run", Verdict.NotRun, results, carded)}
    ${formatReasons("Untestable", Verdict.Untestable, results, carded)}
    ${formatReasons("Not applicable", Verdict.NotApplicable, results, carded)}
    ${formatPassed(counted)}
    </main>
    <footer>Written by <code>parley-kit ${report
      .kit}</code>. <code>parley-kit explain ID</code> shows the input, the expected result and the state of a case. If a case fails a correct implementation, dispute the case: see <code>docs/kit/appeals.md</code> in the repository of the kit.</footer>
    <script>${trustedMarkup(SCRIPT)}</script>
      </body>
    </html>
  `.text;
}

/** Formats the proposed and disputed cases, with a link to the issue of each erratum. */
function formatUncounted({ results, errata = [] }: Report): Markup | undefined {
  const own = results.filter(({ state }) => state !== undefined);
  const issues = new Map(errata.map(({ id, issue }) => [id, issue]));
  const items = own.map((each) => {
    const issue = issues.get(each.erratum?.id ?? "");
    const link = issue?.startsWith("https://") === true
      ? html`
        <a href="${issue}">issue</a>
      `
      : "";
    return html`<li><code>${each.id}</code> ${describeState(each)}: ${
      describeVerdict(each)
    }${link}</li>`;
  });
  return section("Proposed and disputed cases, which do not count", own.length, [
    html`<ul class="list">${items}</ul>`,
  ]);
}

/** Only this page's script can run, and the page cannot load anything. */
function policy(): string {
  return `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-${
    sha256Base64(SCRIPT)
  }'`;
}

function icon(isGood: boolean): string {
  const color = isGood ? "%2315703f" : "%23b3202e";
  return `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='${color}'/%3E%3C/svg%3E`;
}

function isGood(report: Report): boolean {
  return exitCode(report) === 0;
}

function nameOf({ subjects }: Report): string {
  return subjects.map(({ name, version }) => `${name} ${version}`).join(", ");
}

function formatTitle(report: Report): string {
  const { failed } = countResults(report).required;
  return `${failed > 0 ? `${failed} failed` : "No failures"}: ${nameOf(report)}, Parley kit`;
}

function formatHeader(report: Report, suite: Suite): Markup {
  const counts = countResults(report);
  const { required, all } = counts;
  const parts = [
    ["pass", all.passed, "passed"],
    ["fail", required.failed + all.kitFaults, "failed"],
    [
      "warn",
      all.failed - required.failed + all.untestable + all.known,
      "untestable, known or not met",
    ],
    ["na", all.notApplicable + all.notRun, "not applicable or not run"],
  ] as const;
  const label = parts.filter(([, n]) => n > 0).map(([, n, word]) => `${n} ${word}`).join(", ");
  const facts = formatCounts(counts, failureWord(report));
  const day = report.startedAt.slice(0, 10);
  return html`
    <header>
      <div>
        <div>
          <p class="eyebrow">Parley conformance report</p>
          <h1>${report.subjects.map(({ name, version, language, url }, index) =>
            html`${index === 0 ? "" : ", "}${
              url !== undefined && /^https?:\/\//.test(url)
                ? html`<a href="${url}">${name}</a>`
                : name
            } <small>${version}${language === undefined ? "" : ` · ${language}`}</small>`
          )}</h1>
        </div>
        <p class="verdict">${formatVerdict(report, suite)}</p>
        <div class="bar" role="img" aria-label="${label}">${parts.map(([name, n]) =>
          n === 0 ? "" : html`<i class="${name}" style="flex:${n}"></i>`
        )}</div>
        <ul class="facts">${facts.map((fact) => html`<li><b>${fact}</b></li>`)}
    <li>${(report.ms / 1000).toFixed(1)} s</li><li><time datetime="${report
      .startedAt}">${day}</time></li>${(report.requirements ?? []).map(({ name }) =>
        html`<li>requirements ${name}</li>`
      )}<li>kit ${report.kit}</li></ul>
      </div>
    </header>
  `;
}

function formatVerdict(report: Report, suite: Suite): Markup {
  const counts = countResults(report);
  const failed = report.results.filter((each) => each.isRequired && outcomeOf(each) === "failed");
  const lacking = countLacking(report);
  const broken = new Set(failed.flatMap(({ id }) => suite.get(id)?.clauses ?? [])).size;
  const violated = `${pluralize(broken, "clause")} of the specification ${
    broken === 1 ? "is" : "are"
  } violated.`;
  const entries = report.stale.length === 1 ? "entry is" : "entries are";
  const incomplete = describeIncomplete(report);
  const more = [
    ...(broken === 0 ? [] : [violated]),
    ...(lacking === 0 ? [] : [`Required, but untestable: ${pluralize(lacking, "case")}.`]),
    ...(report.stale.length === 0 ? [] : [`${report.stale.length} baseline ${entries} stale.`]),
    ...(counts.all.kitFaults === 0
      ? []
      : [`${pluralize(counts.all.kitFaults, "case")} revealed an error in the kit.`]),
  ].join(" ");
  return html`<b class="${isGood(report) ? "good" : "bad"}">${formatHeadline(counts)}</b> ${more}${
    incomplete === undefined ? "" : html`
      <b>Incomplete: ${incomplete}.</b>
    `
  }`;
}

/** Formats the outcome of the required cases that were tested. */
function formatHeadline({ required: { passed, failed, known } }: Counts): string {
  const tested = pluralize(passed + failed + known, "tested required case");
  if (passed + failed + known === 0) return "No required case was tested.";
  if (failed > 0) return `${failed} of ${tested} failed.`;
  return `${passed} of ${tested} passed${known > 0 ? `, ${known} known` : ""}.`;
}

function formatFilter({ results }: Report): Markup {
  const levels = [...new Set(results.map(({ level }) => level))];
  return html`
    <nav aria-label="Filter" hidden>
      <div>
    <label class="sr" for="search">Filter cases</label><input type="search" id="search" placeholder="Filter by id, title or text">
    <button type="button" data-filter="" aria-pressed="true">All levels</button>${levels.map((
      level,
    ) =>
      html`<button type="button" data-filter="${level}" aria-pressed="false">${level}</button>`
    )}<span id="count" role="status" class="facts"></span>
      </div>
    </nav>
  `;
}
