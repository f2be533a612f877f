/**
 * Bar charts as SVG. A chart follows the reader's color scheme, and its description contains all
 * values as text.
 *
 * @module
 */

/** Difference, relative to a value, below which two values are a tie. */
export const TIE = 0.05;

/** A bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /**
   * Kind of contender. `floor` is a lower bound that no library can reach, such as a program
   * without a library.
   */
  readonly kind: "own" | "peer" | "floor";
}

/** A group of bars with one unit. */
export interface Panel {
  readonly title: string;
  /** Unit of the values, in words. */
  readonly unit: string;
  /** Whether lower or higher values are better. */
  readonly better: "lower" | "higher";
  readonly bars: readonly Bar[];
}

/** A chart. */
export interface Chart {
  readonly title: string;
  /** Line below the bars, such as the machine and the date. */
  readonly note: string;
  readonly panels: readonly Panel[];
}

const WIDTH = 900;
const LABEL_WIDTH = 275;
const VALUE_WIDTH = 210;
const ROW_HEIGHT = 30;
const PANEL_HEAD = 50;
const PANEL_GAP = 22;

const STYLE =
  `text{font:14px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:#3b3b44}.title{font-size:20px;font-weight:700;fill:#1d1d22}.head{font-size:15px;font-weight:650;fill:#1d1d22}.note,.ratio{font-size:12px;fill:#5f5e68}.strong{font-weight:700;fill:#4338b8}.own{fill:#5b4bdb}.peer{fill:#b3aecb}.floor{fill:none;stroke:#8d8a9e;stroke-dasharray:4 3}.page{fill:#fbfaf7}@media(prefers-color-scheme:dark){text{fill:#d2d0da}.title,.head{fill:#f0eee9}.note,.ratio{fill:#a5a3b0}.strong{fill:#b9b3ff}.own{fill:#8f83ff}.peer{fill:#545168}.floor{stroke:#7b798c}.page{fill:#131418}}`;

/**
 * Returns how a contender compares with this repository's library: `tie` if the values differ by at
 * most 5 percent, otherwise for example `2.3 times as much` or `40 % less`.
 */
export function compare(value: number, own: number): string {
  const ratio = value / own;
  if (Math.abs(value - own) <= TIE * own) return "tie";
  if (ratio >= 1.95) return `${ratio.toFixed(1)} times as much`;
  if (ratio > 1) return `${Math.round((ratio - 1) * 100)} % more`;
  return `${Math.round((1 - ratio) * 100)} % less`;
}

/**
 * Formats a value with at most three significant digits, or as an integer with separators if the
 * value is large.
 */
export function formatNumber(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toLocaleString("en", { maximumSignificantDigits: 3 });
}

/** Returns a chart as SVG. */
export function renderChart({ title, note, panels }: Chart): string {
  const parts: string[] = [];
  const words: string[] = [];
  let y = 54;
  for (const panel of panels) {
    const { svg, text, height } = renderPanel(panel, y);
    parts.push(svg);
    words.push(text);
    y += height;
  }
  const height = y + 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" ` +
    `height="${height}" role="img" aria-labelledby="title description">\n` +
    `<title id="title">${escape(title)}</title>\n` +
    `<desc id="description">${escape(`${words.join(" ")} ${note}`)}</desc>\n` +
    `<style>${STYLE}</style>\n<rect class="page" width="100%" height="100%" rx="12"/>\n` +
    `<text class="title" x="20" y="36">${escape(title)}</text>\n${parts.join("")}` +
    `<text class="note" x="20" y="${y}">${escape(note)}</text>\n</svg>\n`;
}

function renderPanel(
  { title, unit, better, bars }: Panel,
  top: number,
): { svg: string; text: string; height: number } {
  const own = bars.find(({ kind }) => kind === "own");
  const max = Math.max(...bars.map(({ value }) => value));
  const span = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  const rows = bars.map(({ label, value, kind }, index) => {
    const y = top + PANEL_HEAD + index * ROW_HEIGHT;
    const width = Math.max(2, value / max * span);
    const ratio = own === undefined || kind !== "peer" ? "" : compare(value, own.value);
    const weight = kind === "own" ? ' class="strong"' : "";
    return {
      svg:
        `<text${weight} x="${LABEL_WIDTH}" y="${y + 19}" text-anchor="end">${
          escape(label)
        }</text>` +
        `<rect class="${kind}" x="${LABEL_WIDTH + 10}" y="${y + 5}" width="${width.toFixed(1)}" ` +
        `height="${ROW_HEIGHT - 10}" rx="4"/>` +
        `<text${weight} x="${(LABEL_WIDTH + 18 + width).toFixed(1)}" y="${y + 19}">` +
        `${formatNumber(value)}<tspan class="ratio" dx="8">${ratio}</tspan></text>\n`,
      text: `${label} ${formatNumber(value)}${ratio === "" ? "" : ` (${ratio})`}`,
    };
  });
  const hint = `${unit}; ${better} is better`;
  return {
    svg: `<text class="head" x="20" y="${top + 18}">${escape(title)}</text>` +
      `<text class="note" x="20" y="${top + 36}">${escape(hint)}</text>\n` +
      rows.map(({ svg }) => svg).join(""),
    text: `${title} (${hint}): ${rows.map(({ text }) => text).join(", ")}.`,
    height: PANEL_HEAD + bars.length * ROW_HEIGHT + PANEL_GAP,
  };
}

function escape(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}
