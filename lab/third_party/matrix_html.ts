/**
 * HTML page with the results for third-party implementations: one file without scripts or external
 * resources.
 *
 * @module
 */

import { CaseLevel } from "../../conformance/kit/case.ts";
import { pluralize } from "../../conformance/kit/pluralize.ts";
import { STYLE } from "../../conformance/reporters/html/assets.ts";
import { html, type Markup, trustedMarkup } from "../../conformance/reporters/html/markup.ts";
import type { HistoryPoint } from "./history.ts";
import {
  countFailures,
  countPrograms,
  describeOlder,
  groupByKind,
  groupByProgram,
  type ReportEntry,
} from "./report_entry.ts";
import { type AreaCounts, type FailingCase, isDifference } from "./result.ts";
import { fullTitle } from "./subject.ts";
import { anchorOf, describeMeasurement, formatProgram } from "./subject_html.ts";

/** Style rules that supplement the rules of the HTML report. */
const MATRIX_STYLE = `
header p{margin:0}
tbody th{min-width:11rem}
.matrix tbody th{min-width:0}
td .chip{display:inline-block;background:var(--warnbg);color:var(--warn);font-size:.75rem}
.bar{min-width:7rem;height:.6rem}
.bar .diff{background:var(--nabar)}
td>.bar{padding:0}
td.text>*{padding-left:0;background:none}
td.text,th.text{text-align:left;padding:.3rem .5rem}
td.text.set{min-width:15rem}
td.zero>*{background:none}
.matrix thead th{font-weight:600;min-width:6rem;overflow-wrap:anywhere;vertical-align:bottom}
.legend>li{display:flex;gap:.4rem;align-items:center}
.legend i{width:.9rem;height:.9rem;border-radius:3px}
.legend .bad{background:var(--fail)}.legend .part{background:var(--warn)}
.legend .diff{background:var(--nabar)}.legend .ok{background:var(--pass)}
.list>li{padding:.35rem 0;overflow-wrap:anywhere}
.list dl{margin:.2rem 0 .4rem}
main>section{margin-top:2.2rem;border-top:1px solid var(--line);padding-top:1rem}
.configuration{margin:1rem 0 1.6rem}
h4{margin:1.2rem 0 0;font-size:1rem;overflow-wrap:anywhere}
h4 a{color:inherit;text-decoration:none}
blockquote p{margin:.2rem 0}
.history{margin:.8rem 0;overflow-x:auto}
.history svg{max-width:none;height:auto;display:block}
.history text{font:10px var(--sans);fill:var(--mute)}
.history .axis{fill:none;stroke:var(--line)}
.history polyline{fill:none;stroke:var(--fail);stroke-width:1.5}
.history circle{fill:var(--fail)}
.history figcaption{color:var(--mute);font-size:.85rem}
`;

const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%234338b8'/%3E%3C/svg%3E";

/**
 * Formats the page.
 *
 * @param entries The results.
 * @param histories Histories of the programs, keyed by program.
 */
export function formatMatrixPage(
  entries: readonly ReportEntry[],
  histories: ReadonlyMap<string, readonly HistoryPoint[]> = new Map(),
): string {
  const kinds = groupByKind(entries);
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="${POLICY}">
        <title>Third-party implementations, Parley kit</title>
        <link rel="icon" href="${ICON}">
        <style>${trustedMarkup(STYLE)}${trustedMarkup(MATRIX_STYLE)}</style>
      </head>
      <body>
        ${formatHeader(entries)}
        <main>
          ${kinds.map(([title, own]) => formatKind(title, own))}
          <h2>Results by program</h2>
          ${[...groupByProgram(entries)].map(([name, own]) =>
            formatProgram(own, histories.get(name) ?? [])
          )}
        </main>
        <footer>Written by <code>deno task kit:third-party</code>. <code>parley-kit explain ID</code> shows the messages of a case and the clause that the case tests. If a case fails a correct implementation, <a href="kit/appeals">dispute the case</a>.</footer>
      </body>
    </html>
  `.text;
}

function formatHeader(entries: readonly ReportEntry[]): Markup {
  const headline = countPrograms(entries);
  const { programs, failing, causes } = headline;
  return html`
    <header>
      <div>
        <div>
          <p class="eyebrow">Parley conformance kit</p>
          <h1>Third-party implementations</h1>
        </div>
        <p
          class="verdict"><b>${failing} of ${programs} programs fail a MUST</b> of a public specification, for ${pluralize(
            causes,
            "cause",
          )}.</p>
        <p>Each program was installed from its registry, started once, and then run twice with the cases of a requirement set. A failure is shown only if both runs agree on the verdict and on the place. Each row names the set, the version of the kit and the date. ${describeOlder(
          headline,
        )}</p>
        <p>A failing SHOULD is a recommendation that is not followed. A difference is not a failure: the case tests a decision of this project on a point that the public specifications leave open. Agent loops have no common specification, so that most of their cases are decisions.</p>
        <p>A case can be wrong. <a href="kit/appeals">Appeals</a> describes how to dispute a case, and how a maintainer of a program adds a statement to its results.</p>
        <ul class="facts legend">
          <li><i class="bad"></i>a MUST fails</li>
          <li><i class="part"></i>a SHOULD fails</li>
          <li><i class="diff"></i>differences</li>
          <li><i class="ok"></i>all tested cases pass</li>
        </ul>
      </div>
    </header>
  `;
}

const COLUMNS: readonly (readonly [name: string, isText: boolean])[] = [
  ["program", true],
  ["version, language", true],
  ["MUST failed", false],
  ["SHOULD failed", false],
  ["differ\u00adences", false],
  ["unstable", false],
  ["passed", false],
  ["result", false],
  ["measured with", true],
];

function formatKind(title: string, entries: readonly ReportEntry[]): Markup {
  const { programs, failing, causes } = countPrograms(entries);
  return html`
    <h2>${title} <small>${pluralize(programs, "program")}, ${failing} fail a MUST${failing === 0
      ? ""
      : `, for ${pluralize(causes, "cause")}`}</small></h2>
    <div class="scroll" role="region" tabindex="0" aria-label="${title}, results">
      <table>
        <thead>
          <tr>${COLUMNS.map(([name, isText]) =>
            html`
              <th scope="col" ${isText
                ? html`
                  class="text"
                `
                : ""}>${name}</th>
            `
          )}</tr>
        </thead>
        <tbody>${entries.map(formatRow)}</tbody>
      </table>
    </div>
    ${formatAreas(title, entries)}
  `;
}

function formatRow(entry: ReportEntry): Markup {
  const { subject, result } = entry;
  const { must, should, differences } = countFailures(entry);
  const count = (n: number, name: string): Markup =>
    html`<td${
      n === 0
        ? html`
          class="zero"
        `
        : ""
    }><span class="${n === 0 ? "none" : name}">${n}</span></td>`;
  const parts = [
    ["pass", result.passed, "passed"],
    ["fail", must, "failing MUST"],
    ["warn", should, "failing SHOULD"],
    ["diff", differences, "differences"],
  ] as const;
  return html`
    <tr>
      <th scope="row"><a href="#${subject.name}">${fullTitle(subject)}</a></th>
      <td class="text"><span class="none">${result.version}<br>${subject.language}</span></td>
      ${count(must, "bad")}${count(should, "part")}${count(differences, "plain")}${count(
        result.unstable.length,
        "plain",
      )}
      <td><span class="none">${result.passed}</span></td>
      <td><div class="bar" role="img" aria-label="${parts.map(([, n, words]) => `${n} ${words}`)
        .join(", ")}">${parts.map(([name, n]) =>
          n === 0 ? "" : html`<i class="${name}" style="flex:${n}"></i>`
        )}</div></td>
      <td class="text set"><span class="none">${describeMeasurement(
        entry,
      )}</span>${entry.isOlder ? html`<span class="chip">earlier cases</span>` : ""}</td>
    </tr>
  `;
}

function formatAreas(title: string, entries: readonly ReportEntry[]): Markup {
  const areas = [...new Set(entries.flatMap(({ result }) => Object.keys(result.areas)))]
    .filter((area) => entries.some(({ result }) => countTested(result.areas[area]) > 0))
    .toSorted();
  return html`
    <div class="scroll" role="region" tabindex="0"
      aria-label="${title}, passed and tested cases by area">
      <table class="matrix">
        <caption>Passed and tested cases by area</caption>
        <thead>
          <tr><th scope="col">area</th>${entries.map(({ subject }) =>
            html`<th scope="col"><a href="#${subject.name}">${subject.name}</a></th>`
          )}</tr>
        </thead>
        <tbody>${areas.map((area) =>
          html`<tr><th scope="row">${area}</th>${
            entries.map((entry) => html`<td>${formatCell(entry, area)}</td>`)
          }</tr>\n`
        )}</tbody>
      </table>
    </div>
  `;
}

function formatCell(entry: ReportEntry, area: string): Markup {
  const counts = entry.result.areas[area];
  const tested = countTested(counts);
  if (counts === undefined || tested === 0) return html`<span class="none">–</span>`;
  const text = `${counts.passed}/${tested}`;
  const worst = findWorst(entry.result.red.filter(({ id }) => id.startsWith(`${area}/`)));
  if (worst === undefined) return html`<span class="ok">${text}</span>`;
  const [name, words] = isDifference(worst)
    ? ["plain", "differences"]
    : worst.level === CaseLevel.Must
    ? ["bad", "a MUST fails"]
    : ["part", "a SHOULD fails"];
  const label = `${text}, ${fullTitle(entry.subject)}, ${area}: ${words}`;
  return html`<a class="${name}" href="#${
    anchorOf(entry, worst)
  }" aria-label="${label}">${text}</a>`;
}

function countTested(counts: AreaCounts | undefined): number {
  if (counts === undefined) return 0;
  const { passed, must, should, differences } = counts;
  return passed + must + should + differences;
}

/**
 * Returns the failing case with the strictest level. Cases that test a decision made by this
 * project come last.
 */
function findWorst(cases: readonly FailingCase[]): FailingCase | undefined {
  return cases.find((each) => !isDifference(each) && each.level === CaseLevel.Must) ??
    cases.find((each) => !isDifference(each)) ?? cases[0];
}
