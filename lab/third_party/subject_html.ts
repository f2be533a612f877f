/**
 * Sections of the page with the results for third-party implementations: one for each program.
 *
 * @module
 */

import { CaseLevel } from "../../conformance/kit/case.ts";
import { Verdict } from "../../conformance/kit/verdict.ts";
import { html, type Markup } from "../../conformance/reporters/html/markup.ts";
import { withCode } from "../../conformance/reporters/html/result_card.ts";
import type { HistoryPoint } from "./history.ts";
import { formatHistory } from "./history_chart.ts";
import { groupByNote, type NotedCases, type ReportEntry } from "./report_entry.ts";
import { type FailingCase, isDifference } from "./result.ts";
import type { MaintainerNote } from "./subject.ts";

/** Formats the section of a program. All entries are configurations of the program. */
export function formatProgram(
  entries: readonly ReportEntry[],
  history: readonly HistoryPoint[],
): Markup | undefined {
  const [first] = entries;
  if (first === undefined) return undefined;
  const { title, language, maintainerNote } = first.subject;
  return html`
    <section aria-label="${title}">
      <h3>${title}</h3>
      <p class="meta">${withCode(
        `\`${first.subject.package}\` ${first.subject.version}`,
      )} · ${language}</p>
      ${maintainerNote === undefined ? "" : formatMaintainerNote(maintainerNote)}
      ${formatHistory(history)}
      ${entries.map(formatConfiguration)}
    </section>
  `;
}

/** Returns the anchor of a failing case. */
export function anchorOf({ subject }: ReportEntry, { id, transport }: FailingCase): string {
  // Subjects have unique names, and case ids contain only letters, digits, "/", "-" and "_".
  return [subject.name, id.replaceAll("/", "."), ...(transport === undefined ? [] : [transport])]
    .join("--");
}

function formatMaintainerNote({ text, by, date }: MaintainerNote): Markup {
  return html`
    <blockquote class="clause">
      <p>${text}</p>
      <p class="source">${by}, maintainer, ${date}</p>
    </blockquote>
  `;
}

function formatConfiguration(entry: ReportEntry): Markup {
  const { subject, result } = entry;
  const { name, setup, revision, configuration } = subject;
  const facts = [
    ...(revision === undefined ? [] : [`protocol version ${revision}`]),
    `identifies itself as \`${result.says}\``,
    describeMeasurement(entry),
  ];
  const groups = groupByNote(entry);
  return html`
    <div id="${name}" class="configuration">
      ${configuration === undefined ? "" : html`<h4><a href="#${name}">${configuration}</a></h4>`}
      <p class="meta">${withCode(facts.join(" · "))}</p>
      ${entry.isOlder
        ? html`<p class="note">${
          result.runs === 1
            ? "Measured once, with cases that have changed since. The next run replaces the result."
            : "The cases have changed since. The next run replaces the result."
        }</p>`
        : ""}
      ${setup === undefined ? "" : html`<p>${withCode(setup)}</p>`}
      <div class="run"><pre>deno task kit:third-party ${name}</pre></div>
      ${groups.map((group) => formatGroup(entry, group))}
      ${formatDifferences(entry, groups)}
      ${formatDisputed(entry)}
      ${formatUnstable(entry)}
      ${formatLeftOut(entry)}
    </div>
  `;
}

/** Formats the set, the kit, the date and the number of runs of a result. */
export function describeMeasurement({ result }: ReportEntry): string {
  const { set, digest, errata, kit, date, runs } = result;
  const facts = [
    digest === undefined ? set : `${set}, digest ${digest.slice(0, 8)}`,
    ...(errata.length === 0 ? [] : [`errata ${errata.join(", ")}`]),
    `kit ${kit}`,
    date,
    runs === 1 ? "1 run" : `${runs} runs that agree`,
  ];
  return facts.join(", ");
}

/** Formats the failing cases of a group that test a public specification. */
function formatGroup(entry: ReportEntry, { note, cases }: NotedCases): Markup | undefined {
  const own = cases.filter((each) => !isDifference(each));
  if (own.length === 0) return undefined;
  return html`
    <details open>
      <summary>${formatNote(note)} (${own.length})</summary>
      <ul class="list">${own.map((each) => formatCase(entry, each))}</ul>
    </details>
  `;
}

/** Formats the differences, which are not failures, in one closed list. */
function formatDifferences(entry: ReportEntry, groups: readonly NotedCases[]): Markup | undefined {
  const own = groups.map(({ cases, ...rest }) => ({ ...rest, cases: cases.filter(isDifference) }))
    .filter(({ cases }) => cases.length > 0);
  const count = own.reduce((sum, { cases }) => sum + cases.length, 0);
  if (count === 0) return undefined;
  return html`
    <details>
      <summary>Differences from decisions of this project, which are not failures (${count})</summary>
      ${own.map(({ note, cases }) =>
        html`
          <p>${formatNote(note)}</p>
          <ul class="list">${cases.map((each) => formatCase(entry, each))}</ul>
        `
      )}
    </details>
  `;
}

function formatNote(note: NotedCases["note"]): Markup {
  if (note === undefined) return html`Cases without a note.`;
  const { text, issue } = note;
  return html`${withCode(text)}${
    issue === undefined ? "" : html`
      <a href="${issue}">issue</a>
    `
  }`;
}

function formatCase(entry: ReportEntry, failing: FailingCase): Markup {
  const { id, transport, level, verdict, expected, got } = failing;
  const [label, style] = isDifference(failing)
    ? ["difference", " plain"]
    : [level, level === CaseLevel.Must ? "" : " warn"];
  return html`
    <li id="${anchorOf(entry, failing)}">
      <code>${id}</code>${transport === undefined
        ? ""
        : ` (${transport})`} <span class="chip${style}">${label}</span>${verdict === Verdict.Fail
        ? ""
        : ` ${verdict}`}
      <dl class="comparison"><dt>expected</dt><dd><code>${expected}</code></dd><dt>got</dt><dd><code>${got}</code></dd></dl>
    </li>
  `;
}

function formatDisputed({ disputed }: ReportEntry): Markup | undefined {
  if (disputed.length === 0) return undefined;
  return html`
    <details>
      <summary>Disputed cases, which count as no failures (${disputed.length})</summary>
      <ul class="list">${disputed.map(({ id, erratum }) =>
        html`<li><code>${id}</code> <a href="${erratum.issue}">${erratum.id}</a>: ${erratum.reason}</li>`
      )}</ul>
    </details>
  `;
}

function formatUnstable({ result: { unstable } }: ReportEntry): Markup | undefined {
  if (unstable.length === 0) return undefined;
  return html`
    <details>
      <summary>Cases whose two runs differ, which count as no failures (${unstable
        .length})</summary>
      <ul class="list">${unstable.map(({ id, transport, runs }) =>
        html`<li><code>${id}</code>${transport === undefined ? "" : ` (${transport})`}: first ${
          runs[0]
        }, then ${runs[1]}</li>`
      )}</ul>
    </details>
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
