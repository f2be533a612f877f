/**
 * Badges: an SVG image, and data for badge services in the format of shields.io endpoints.
 *
 * @module
 */

import { countResults, type Report } from "../kit/report.ts";

/** Text and color of a badge. */
interface Badge {
  readonly label: string;
  readonly message: string;
  readonly color: string;
  readonly isGood: boolean;
}

/** The badge's two colors have a contrast ratio of more than 4.5 against white. */
const GREEN = "#15703f";
const RED = "#b3202e";

/** Average width of a character, and padding around the text, in pixels. */
const CHARACTER = 6.05;
const PADDING = 14;

/** Formats the badge of a run as SVG. */
export function formatBadgeSvg(report: Report): string {
  const { label, message, color } = toBadge(report);
  const [left, right] = [widthOf(label), widthOf(message)];
  const [name, value] = [escape(label), escape(message)];
  const font = 'font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11"';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img">
<title>${name}: ${value}</title>
<clipPath id="round"><rect width="${left + right}" height="20" rx="4"/></clipPath>
<g clip-path="url(#round)"><path fill="#3b3b44" d="M0 0h${left}v20H0z"/><path fill="${color}" d="M${left} 0h${right}v20H${left}z"/></g>
<g fill="#fff" text-anchor="middle" ${font}><text x="${left / 2}" y="14">${name}</text><text x="${
    left + right / 2
  }" y="14">${value}</text></g>
</svg>
`;
}

/** Formats the badge of a run as JSON for shields.io endpoints. */
export function formatBadgeJson(report: Report): string {
  const { label, message, color, isGood } = toBadge(report);
  return `${JSON.stringify({ schemaVersion: 1, label, message, color, isError: !isGood })}\n`;
}

function toBadge(report: Report): Badge {
  const { passed, failed, known, optional } = countResults(report);
  const label = ["parley kit", ...report.requirements ?? [report.kit]].join(" ");
  const tested = passed + failed + known + optional;
  const isGood = failed === 0 && tested > 0 && !report.isInterrupted;
  const message = report.isInterrupted
    ? "interrupted"
    : tested === 0
    ? "no case tested"
    : `${passed}/${tested} passed`;
  return { label, message, color: isGood ? GREEN : RED, isGood };
}

function widthOf(text: string): number {
  return Math.round(text.length * CHARACTER + PADDING);
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
