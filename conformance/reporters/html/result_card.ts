/**
 * Cards for the HTML report: one result with its difference, its clauses and the command that
 * reruns the case.
 *
 * @module
 */

import clauses from "../../spec/clauses.json" with { type: "json" };
import type { Case } from "../../kit/case.ts";
import { isObject } from "../../kit/json.ts";
import {
  type CaseResult,
  describeVerdict,
  type Difference,
  isFailure,
  Verdict,
} from "../../kit/verdict.ts";
import { areaOf } from "../group_results.ts";
import { diffTexts, type Segment } from "./diff.ts";
import { html, type Markup } from "./markup.ts";

const CLAUSES = new Map(clauses.map((each) => [each.id, each]));

/** Formats the card of a failed or known result. */
export function formatCard(result: CaseResult, each: Case | undefined, again: string): Markup {
  const { id, title, transport, level, note } = result;
  const anchor = anchorOf(result);
  const isKnown = !isFailure(result) || !result.isRequired;
  const command = `${again} ${id} --trace`;
  return html`
    <article class="case${isKnown
      ? " known"
      : ""}" id="${anchor}" data-level="${level}" data-area="${areaOf(id)}">
    <h3><a href="#${anchor}">${withCode(title)}</a></h3>
    <p class="meta"><span class="chip${isKnown ? " warn" : ""}">${describeVerdict(result)
      .toUpperCase()} · ${level}</span> <code>${id}</code>${transport === undefined ? "" : html`
      <span class="chip plain">${transport}</span>
    `}${each === undefined ? "" : html`
      <span class="chip plain">basis: ${each.basis}</span>
    `}${result.isRequired ? "" : html`
      <span class="chip plain">not required</span>
    `}</p>
    ${each === undefined ? "" : html`<p class="why">${withCode(each.why)}</p>`}
    ${formatComparison(result)}
    ${note === undefined ? "" : html`<p class="note">${note}</p>`}
    ${(each?.clauses ?? []).map(formatClause)}
    ${formatFolded("Messages", result.trace?.join("\n"))}${formatFolded(
      "Standard error",
      result.stderr,
    )}
    <div class="run"><pre>${command}</pre><button type="button" class="copy" data-copy="${command}" hidden>Copy<span class="sr"> the command for ${id}</span></button></div>
    </article>
  `;
}

/** Returns the id of a result's element. */
export function anchorOf({ id, transport }: Pick<CaseResult, "id" | "transport">): string {
  return `case-${id.replaceAll("/", ".")}${transport === undefined ? "" : `-${transport}`}`;
}

/** Formats text in which backticks enclose code. */
export function withCode(text: string): readonly (string | Markup)[] {
  return text.split(/`([^`]+)`/).map((part, index) =>
    index % 2 === 1 ? html`<code>${part}</code>` : part
  );
}

/**
 * Formats the sent data, the expected result and the actual result. Words that differ are marked.
 */
function formatComparison(result: CaseResult): Markup {
  const { difference, verdict } = result;
  const { expected, got } = describe(result);
  return html`
    <dl
      class="comparison">${result.sent === undefined ? "" : html`
        <dt>sent</dt>
        <dd>
          <pre>${result.sent}</pre>
        </dd>
      `}${expected === undefined ? "" : html`
        <dt>expected</dt>
        <dd>
          <pre>${expected.map(formatSegment)}</pre>
        </dd>
      `}${difference === undefined || difference.at === "$" ? "" : html`
        <dt>at</dt>
        <dd><code>${difference.at}</code></dd>
      `}<dt>got</dt><dd><pre class="got">${got === undefined
        ? (verdict === Verdict.Fail ? "no value" : verdict)
        : got.map(formatSegment)}</pre></dd></dl>
  `;
}

interface Described {
  readonly expected: readonly Segment[] | undefined;
  readonly got: readonly Segment[] | undefined;
}

function describe({ expected, got, difference }: CaseResult): Described {
  if (difference === undefined) return { expected: plain(expected), got: plain(got) };
  const hasGot = difference.got !== undefined;
  if (hasGot && isLiteral(difference.expected)) {
    const [one, other] = formatBoth(difference);
    return diffTexts(one, other);
  }
  const suffix = ` at ${difference.at}`;
  return {
    expected: plain(expected?.endsWith(suffix) ? expected.slice(0, -suffix.length) : expected),
    got: plain(hasGot ? formatValue(difference.got) : got),
  };
}

/**
 * If the expected and the actual value are both strings, they are shown without quotes, because
 * escaped quotes in JSON text are hard to read.
 */
function formatBoth({ expected, got }: Difference): readonly [string, string] {
  return typeof expected === "string" && typeof got === "string"
    ? [expected, got]
    : [formatValue(expected), formatValue(got)];
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? "no value";
  return text.length > 90 ? JSON.stringify(value, null, 2) : text;
}

/**
 * Returns true if an expectation contains no expression, so that its text can be compared with a
 * value.
 */
function isLiteral(expected: unknown): boolean {
  if (expected === undefined) return false;
  if (Array.isArray(expected)) return expected.every(isLiteral);
  if (!isObject(expected)) return true;
  return Object.entries(expected).every(([name, value]) =>
    !name.startsWith("$") && isLiteral(value)
  );
}

function plain(text: string | undefined): readonly Segment[] | undefined {
  return text === undefined ? undefined : [{ text, isDifferent: false }];
}

function formatSegment({ text, isDifferent }: Segment): string | Markup {
  return isDifferent ? html`<mark>${text}</mark>` : text;
}

function formatClause(id: string): Markup {
  const clause = CLAUSES.get(id);
  if (clause === undefined) return html`<div class="clause"><b>${id}</b></div>`;
  return html`<div class="clause"><b>${id}</b> ${withCode(clause.text)}
<div class="source">${clause.source}${
    clause.refs.map((url) =>
      html`
        · <a href="${url}">${url.replace(/^https?:\/\/(www\.)?/, "")}</a>
      `
    )
  }</div></div>`;
}

function formatFolded(title: string, text: string | undefined): Markup | undefined {
  if (text === undefined || text === "") return undefined;
  return html`
    <details>
      <summary>${title}</summary>
      <pre>${text}</pre>
    </details>
  `;
}
