/**
 * Chart of the failing MUST cases of a program over its stored results.
 *
 * @module
 */

import { html, type Markup } from "../../conformance/reporters/html/markup.ts";
import type { HistoryPoint } from "./history.ts";

const STEP = 150;
const LEFT = 34;
const TOP = 14;
const HEIGHT = 70;

/** A point at its place in the chart. */
interface Placed {
  readonly point: HistoryPoint;
  readonly x: number;
  readonly y: number;
}

/**
 * Draws the history of a program. Each column is a day and a requirement set. Only points of one
 * configuration and one set are joined, because results of different sets do not compare.
 *
 * @returns `undefined` if all results are of one day and one set.
 */
export function formatHistory(points: readonly HistoryPoint[]): Markup | undefined {
  const columns = [...new Set(points.map(columnOf))];
  if (columns.length < 2) return undefined;
  const most = Math.max(1, ...points.map(({ must }) => must));
  const placed = points.map((point): Placed => ({
    point,
    x: LEFT + columns.indexOf(columnOf(point)) * STEP,
    y: TOP + HEIGHT - (point.must / most) * HEIGHT,
  }));
  const width = LEFT + columns.length * STEP;
  const base = TOP + HEIGHT;
  return html`
    <figure class="history" tabindex="0">
      <svg viewBox="0 0 ${width} ${base + 34}" width="${width}" role="img"
        aria-label="Failing MUST cases by day and requirement set">
        <path class="axis" d="M${LEFT - 10} ${TOP}V${base}H${width}"/>
        <text x="${LEFT - 14}" y="${TOP + 4}" text-anchor="end">${most}</text>
        <text x="${LEFT - 14}" y="${base + 4}" text-anchor="end">0</text>
        ${joinSets(placed).map((line) =>
          html`
            <polyline points="${line}" />
          `
        )}
        ${placed.map(formatPoint)}
        ${columns.map((column, index) => formatColumn(column, LEFT + index * STEP, base))}
      </svg>
      <figcaption>Failing MUST cases. Lines join results of one requirement set.</figcaption>
    </figure>
  `;
}

/** Returns the lines through the points of each configuration and set. */
function joinSets(placed: readonly Placed[]): readonly string[] {
  const lines = new Map<string, string[]>();
  for (const { point: { configuration = "", set, digest = "" }, x, y } of placed) {
    const key = JSON.stringify([configuration, set, digest]);
    lines.set(key, [...lines.get(key) ?? [], `${x},${y}`]);
  }
  return [...lines.values()].filter((line) => line.length > 1).map((line) => line.join(" "));
}

function formatPoint({ point, x, y }: Placed): Markup {
  const { configuration, must, date, set, version, kit } = point;
  const facts = [...(configuration === undefined ? [] : [configuration]), version, date, set];
  return html`
    <circle cx="${x}" cy="${y}" r="4">
      <title>${must} failing MUST: ${facts.join(", ")}, kit ${kit}</title>
    </circle>
  `;
}

function formatColumn(column: string, x: number, base: number): Markup {
  const [date = "", set = ""] = column.split("\n");
  return html`
    <text x="${x}" y="${base + 16}">${date}</text>
    <text x="${x}" y="${base + 29}">${set}</text>
  `;
}

function columnOf({ date, set }: HistoryPoint): string {
  return `${date}\n${set}`;
}
