/**
 * HTML page with the results for third-party implementations: one file without scripts or external
 * resources.
 *
 * @module
 */

import { CaseLevel } from "../../conformance/kit/case.ts";
import { fitsId } from "../../conformance/kit/select_cases.ts";
import { Verdict } from "../../conformance/kit/verdict.ts";
import { STYLE } from "../../conformance/reporters/html/assets.ts";
import { html, type Markup, trustedMarkup } from "../../conformance/reporters/html/markup.ts";
import { withCode } from "../../conformance/reporters/html/result_card.ts";
import { countFailures, groupByKind, type ReportEntry } from "./report_entry.ts";
import { type AreaCounts, type FailingCase, isDifference } from "./result.ts";

/** Style rules that supplement the rules of the HTML report. */
const MATRIX_STYLE = `
.bar{min-width:7rem;height:.6rem}
.bar .diff{background:var(--accent)}
td>.bar{padding:0}
td time{white-space:nowrap}
td .diff{color:var(--accent)}
td.text>*{padding-left:0}
td.text,th.text{text-align:left;padding:.3rem .5rem}
td.zero>*{background:none}
.matrix thead th{font-weight:600;min-width:6rem;overflow-wrap:anywhere;vertical-align:bottom}
.legend>li{display:flex;gap:.4rem;align-items:center}
.legend i{width:.9rem;height:.9rem;border-radius:3px}
.legend .bad{background:var(--fail)}.legend .part{background:var(--warn)}
.legend .diff{background:var(--accent)}.legend .ok{background:var(--pass)}.legend .none{background:var(--nabar)}
.list>li{padding:.35rem 0;overflow-wrap:anywhere}
.list dl{margin:.2rem 0 .4rem}
`;

const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%234338b8'/%3E%3C/svg%3E";

/** Formats the page. */
export function formatMatrixPage(entries: readonly ReportEntry[]): string {
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
          <h2>Results by implementation</h2>
          ${entries.map(formatSubject)}
        </main>
        <footer>Written by <code>deno task kit:third-party</code>. <code>parley-kit explain ID</code> shows the messages of a case and the clause that the case tests.</footer>
      </body>
    </html>
  `.text;
}

function formatHeader(entries: readonly ReportEntry[]): Markup {
  const failing = entries.filter((each) => countFailures(each).must > 0).length;
  const must = entries.reduce((sum, each) => sum + countFailures(each).must, 0);
  return html`
    <header>
      <div>
        <div>
          <p class="eyebrow">Parley conformance kit</p>
          <h1>Third-party implementations</h1>
        </div>
        <p
          class="verdict"><b>${failing} of ${entries
            .length} implementations fail a MUST</b> of a public specification, in ${must} cases.</p>
        <p>A failing SHOULD is a recommendation that is not followed. A difference is a failing case that tests a requirement of this project only: a decision on a point that the public specifications leave open, or any requirement of agent loops, for which no common specification exists. An implementation with a difference can still behave as its own documentation says.</p>
        <ul class="facts legend">
          <li><i class="bad"></i>a MUST fails</li>
          <li><i class="part"></i>a SHOULD fails</li>
          <li><i class="diff"></i>differences</li>
          <li><i class="ok"></i>all tested cases pass</li>
          <li><i class="none"></i>not tested</li>
        </ul>
      </div>
    </header>
  `;
}

function formatKind(title: string, entries: readonly ReportEntry[]): Markup {
  return html`
    <h2>${title} <small>${entries.length}</small></h2>
    <div class="scroll" role="region" tabindex="0" aria-label="${title}, results">
      <table>
        <thead>
          <tr>${[
            "implementation",
            "version",
            "language",
            "MUST failed",
            "SHOULD failed",
            "differences",
            "passed",
            "result",
            "tested",
          ]
            .map((name, index) =>
              html`
                <th scope="col" ${index < 3
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
      <th scope="row"><a href="#${subject.name}">${subject.title}</a></th>
      <td class="text"><span class="none">${subject.version}</span></td>
      <td class="text"><span class="none">${subject.language}</span></td>
      ${count(must, "bad")}${count(should, "part")}${count(differences, "diff")}
      <td><span class="none">${result.passed}</span></td>
      <td><div class="bar" role="img" aria-label="${parts.map(([, n, words]) => `${n} ${words}`)
        .join(", ")}">${parts.map(([name, n]) =>
          n === 0 ? "" : html`<i class="${name}" style="flex:${n}"></i>`
        )}</div></td>
      <td><time class="none" datetime="${result.date}">${result.date}</time></td>
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
    ? ["diff", "differences"]
    : worst.level === CaseLevel.Must
    ? ["bad", "a MUST fails"]
    : ["part", "a SHOULD fails"];
  const label = `${text}, ${entry.subject.title}, ${area}: ${words}`;
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

/** Subjects have unique names, and case ids contain only letters, digits, "/", "-" and "_". */
function anchorOf({ subject }: ReportEntry, { id, transport }: FailingCase): string {
  return [subject.name, id.replaceAll("/", "."), ...(transport === undefined ? [] : [transport])]
    .join("--");
}

function formatSubject(entry: ReportEntry): Markup {
  const { subject, result } = entry;
  const { setup, name, title, revision, language } = subject;
  const facts = [
    `\`${subject.package}\` ${subject.version}`,
    language,
    ...(revision === undefined ? [] : [`revision ${revision}`]),
    `identifies itself as \`${result.says}\``,
    `kit ${result.kit}, ${result.date}`,
  ];
  return html`
    <section id="${name}" aria-label="${title}">
      <h3><a href="#${name}">${title}</a></h3>
      <p class="meta">${withCode(facts.join(" · "))}</p>
      <div class="run"><pre>deno task kit:third-party ${name}</pre></div>
      ${setup === undefined ? "" : html`<p>${withCode(setup)}</p>`}
      ${groupByNote(entry).map((group) => formatGroup(entry, group))}
      ${formatLeftOut(entry)}
    </section>
  `;
}

interface Group {
  readonly text: string;
  readonly cases: readonly FailingCase[];
}

/**
 * Groups the failing cases by the note that explains them. Failing cases without a note come last.
 */
function groupByNote({ subject: { notes = [] }, result }: ReportEntry): readonly Group[] {
  const noteOf = ({ id }: FailingCase): number => {
    const found = notes.findIndex(({ cases }) => cases.some((each) => fitsId(each, id)));
    return found === -1 ? notes.length : found;
  };
  return [...notes.map(({ text }) => text), "Failing cases without a note."]
    .map((text, index) => ({ text, cases: result.red.filter((each) => noteOf(each) === index) }))
    .filter(({ cases }) => cases.length > 0);
}

function formatGroup(entry: ReportEntry, { text, cases }: Group): Markup {
  return html`
    <details open>
      <summary>${withCode(text)} (${cases.length})</summary>
      <ul class="list">${cases.map((each) => formatCase(entry, each))}</ul>
    </details>
  `;
}

function formatCase(entry: ReportEntry, failing: FailingCase): Markup {
  const { id, transport, level, verdict, expected, got } = failing;
  const isRed = !isDifference(failing) && level === CaseLevel.Must;
  const label = isDifference(failing) ? `difference, ${level}` : level;
  return html`
    <li id="${anchorOf(entry, failing)}">
      <code>${id}</code>${transport === undefined
        ? ""
        : ` (${transport})`} <span class="chip${isDifference(failing)
        ? " plain"
        : isRed
        ? ""
        : " warn"}">${label}</span>${verdict === Verdict.Fail ? "" : ` ${verdict}`}
      <dl class="comparison"><dt>expected</dt><dd><code>${expected}</code></dd><dt>got</dt><dd><code>${got}</code></dd></dl>
    </li>
  `;
}

function formatLeftOut({ result: { leftOut } }: ReportEntry): Markup | undefined {
  if (leftOut.length === 0) return undefined;
  const count = leftOut.reduce((sum, each) => sum + each.count, 0);
  return html`
    <details>
      <summary>Cases that are not applicable or untestable (${count})</summary>
      <ul class="list">${leftOut.map(({ verdict, reason, count }) =>
        html`<li>${count} ${verdict}: ${reason}</li>`
      )}</ul>
    </details>
  `;
}
