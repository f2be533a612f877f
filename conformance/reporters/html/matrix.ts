/**
 * Table for the HTML report: passed and tested cases by area and level.
 *
 * @module
 */

import { outcomeOf } from "../../kit/counts.ts";
import { libraryOf } from "../../kit/select_cases.ts";
import { type CaseResult, isFailingVerdict, Verdict } from "../../kit/verdict.ts";
import { html, type Markup } from "./markup.ts";
import { areaOf, groupResults } from "../group_results.ts";
import { anchorOf } from "./result_card.ts";

/** Maximum number of areas in a table. */
const MAX_ROWS = 16;

type Area = readonly [name: string, results: readonly CaseResult[]];

/** Formats the tables for each library. Areas with failures come first. */
export function formatMatrix(results: readonly CaseResult[]): Markup {
  const libraries = [...groupResults(results, ({ id }) => libraryOf(id))];
  return html`<div class="tables">${libraries.map(([name, own]) => formatTables(name, own))}</div>`;
}

function formatTables(library: string, results: readonly CaseResult[]): readonly Markup[] {
  const levels = [...new Set(results.map(({ level }) => level))];
  const areas = [...groupResults(results, ({ id }) => areaOf(id))].toSorted(([, one], [, other]) =>
    Number(other.some(failsTheRun)) - Number(one.some(failsTheRun))
  );
  const count = Math.ceil(areas.length / MAX_ROWS);
  const rows = Math.ceil(areas.length / count);
  return Array.from({ length: count }, (_, index) => {
    const part = areas.slice(index * rows, (index + 1) * rows);
    return formatTable(library, index === 0 ? library : `${library}, continued`, part, levels);
  });
}

function formatTable(
  library: string,
  caption: string,
  areas: readonly Area[],
  levels: readonly string[],
): Markup {
  return html`
    <div class="scroll">
      <table>
        <caption>${caption}</caption>
        <thead>
          <tr><th scope="col">area</th>${levels.map((level) =>
            html`<th scope="col">${level}</th>`
          )}</tr>
        </thead>
        <tbody>${areas.map(([area, own]) =>
          html`<tr><th scope="row">${area.slice(library.length + 1)}</th>${
            levels.map((level) =>
              html`<td>${formatCell(own.filter((each) => each.level === level))}</td>`
            )
          }</tr>\n`
        )}</tbody>
      </table>
    </div>
  `;
}

function formatCell(results: readonly CaseResult[]): Markup {
  const [first] = results;
  if (first === undefined) return html`<span class="none">–</span>`;
  const failed = results.filter(({ verdict }) => isFailingVerdict(verdict));
  const untestable = results.filter((each) => outcomeOf(each) === "untestable").length;
  const tested = results.filter(isTested).length;
  if (tested === 0) return html`<span>${nameUntested(results)}</span>`;
  const passed = results.filter(({ verdict }) => verdict === Verdict.Pass).length;
  const text = `${passed}/${tested}`;
  const worst = failed.find(({ isRequired }) => isRequired) ?? failed[0];
  if (worst !== undefined) {
    const area = areaOf(worst.id);
    const word = worst.isRequired ? "failed" : "not met";
    const label = `${area}, ${worst.level}: ${failed.length} of ${tested} ${word}; show the cases`;
    return html`
      <a class="${worst.isRequired ? "bad" : "part"}" href="#${anchorOf(worst)}" data-area="${area}"
        data-level="${worst.level}" aria-label="${text} ${label}">${text}</a>
    `;
  }
  if (passed < tested || untestable > 0) {
    const more = [
      ...(passed < tested ? [`${tested - passed} known`] : []),
      ...(untestable > 0 ? [`${untestable} untestable`] : []),
    ];
    return html`<span class="part">${text}, ${more.join(", ")}</span>`;
  }
  return html`<span class="ok">${text}</span>`;
}

function nameUntested(results: readonly CaseResult[]): string {
  const outcomes = new Set(results.map(outcomeOf));
  if (outcomes.has("notRun")) return "not run";
  return outcomes.has("untestable") ? "untestable" : "n/a";
}

function failsTheRun(result: CaseResult): boolean {
  return isFailingVerdict(result.verdict) && result.isRequired;
}

function isTested(result: CaseResult): boolean {
  const outcome = outcomeOf(result);
  return outcome !== "untestable" && outcome !== "notApplicable" && outcome !== "notRun";
}
