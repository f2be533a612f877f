/**
 * Lists for the HTML report: results that have no card, and missing fixtures.
 *
 * @module
 */

import { listMissingFixtures } from "../../kit/missing_fixtures.ts";
import { pluralize } from "../../kit/pluralize.ts";
import { type CaseResult, Verdict } from "../../kit/verdict.ts";
import { areaOf, groupResults } from "../group_results.ts";
import { formatNames, groupReasons } from "../reasons.ts";
import { html, type Markup } from "./markup.ts";
import { anchorOf, withCode } from "./result_card.ts";

/** Formats a section with a heading, or `undefined` if its content is empty. */
export function section(
  title: string,
  count: number,
  content: readonly Markup[],
  id?: string,
): Markup | undefined {
  if (count === 0) return undefined;
  return html`<h2${
    id === undefined ? "" : html`
      id="${id}"
    `
  }>${title} <small>${count}</small></h2>${content}`;
}

const FIXTURES_NOTE =
  "PROTOCOL.md of the kit describes the fixtures. Each number counts the cases " +
  "that a fixture makes testable together with all fixtures listed before it.";

/** Formats the fixtures that the server lacks, by the number of cases that they make testable. */
export function formatFixtures(results: readonly CaseResult[]): Markup | undefined {
  const missing = listMissingFixtures(results);
  if (missing.length === 0) return undefined;
  const total = missing.reduce((sum, { cases }) => sum + cases, 0);
  const rows = missing.map(({ fixtures, cases }) =>
    html`<li>${
      fixtures.map((name, index) => html`${index === 0 ? "" : " + "}<code>${name}</code>`)
    } <b>${cases}</b></li>`
  );
  return html`
    <h2>Add these fixtures <small>to run ${pluralize(total, "more case")}</small></h2>
    <p>${FIXTURES_NOTE}</p>
    <ul class="list columns">${rows}</ul>
  `;
}

/**
 * Formats the cases that have the given verdict, grouped by reason or by the control that did not
 * pass.
 *
 * @param carded Anchors of the results that have a card.
 */
export function formatReasons(
  title: string,
  verdict: Verdict,
  results: readonly CaseResult[],
  carded: ReadonlySet<string>,
): Markup | undefined {
  const own = results.filter((each) => each.verdict === verdict);
  const content = groupReasons(own)
    .toSorted((one, other) => other.results.length - one.results.length)
    .map(({ reason, names, results: group }) =>
      html`
        <details>
          <summary>${group.length} · ${reason}${names.length === 0
            ? ""
            : `: ${formatNames(names)}`}</summary>
          <ul class="list">${group.map((each) => formatLine(each, carded))}</ul>
        </details>
      `
    );
  return section(title, own.length, content);
}

function formatLine(result: CaseResult, carded: ReadonlySet<string>): Markup {
  const { id, title, transport, failedControl } = result;
  const control = failedControl === undefined
    ? undefined
    : anchorOf({ id: failedControl, ...(transport === undefined ? {} : { transport }) });
  return html`<li>${withCode(title)} <code>${id}${
    transport === undefined ? "" : ` (${transport})`
  }</code>${
    control === undefined || !carded.has(control) ? "" : html`
      <a href="#${control}">failure of the control ${failedControl}</a>
    `
  }</li>`;
}

/** Formats the passed cases, grouped by area. */
export function formatPassed(results: readonly CaseResult[]): Markup | undefined {
  const own = results.filter(({ verdict }) => verdict === Verdict.Pass);
  const content = [...groupResults(own, ({ id }) => areaOf(id))].map(([area, group]) =>
    html`
      <details>
        <summary>${area} · ${group.length}</summary>
        <ul class="list">${group.map((each) => formatLine(each, new Set()))}</ul>
      </details>
    `
  );
  return section("Passed", own.length, content);
}
