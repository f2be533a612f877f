/**
 * Badges: an SVG image, and data for badge services in the format of shields.io endpoints.
 *
 * @module
 */

import { countResults, describeErrata, requiresShould } from "../kit/counts.ts";
import type { Report } from "../kit/report.ts";

/** Text and color of a badge. */
interface Badge {
  readonly label: string;
  readonly message: string;
  readonly color: string;
  /** Number of errata, for the title. */
  readonly errata: number;
}

/** The badge's colors have a contrast ratio of more than 4.5 against white. */
const GREEN = "#15703f";
const YELLOW = "#7d5200";
const RED = "#b3202e";

/** Average width of a character, and padding around the text, in pixels. */
const CHARACTER = 6.05;
const PADDING = 14;

/** Formats the badge of a run as SVG. */
export function formatBadgeSvg(report: Report): string {
  const { label, message, color, errata } = toBadge(report);
  const more = errata === 0 ? "" : `, with ${describeErrata(errata)}`;
  const [left, right] = [widthOf(label), widthOf(message)];
  const [name, value] = [escape(label), escape(message)];
  const font = 'font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11"';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img">
<title>${name}: ${value}${more}</title>
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
  const { label, message, color } = toBadge(report);
  return `${JSON.stringify({ schemaVersion: 1, label, message, color, isError: color === RED })}\n`;
}

/**
 * Decision: the denominator contains all required cases that apply, because the share of the tested
 * cases would hide that a driver lacks operations.
 */
function toBadge(report: Report): Badge {
  const sets = report.requirements?.map(({ name }) => name) ?? [report.kit];
  const label = ["parley kit", ...sets].join(" ");
  const { required, stale } = countResults(report);
  const { passed, failed, known, notRun, untestable, kitFaults } = required;
  const applicable = passed + failed + known + notRun + untestable + kitFaults;
  const levels = requiresShould(report) ? "MUST and SHOULD" : "MUST";
  const isIncomplete = report.isInterrupted || notRun > 0 || passed + known === 0;
  const color = isIncomplete || failed + kitFaults + stale > 0
    ? RED
    : untestable + known > 0
    ? YELLOW
    : GREEN;
  const errata = report.errata?.length ?? 0;
  return { label, message: `${passed}/${applicable} ${levels}`, color, errata };
}

function widthOf(text: string): number {
  return Math.round(text.length * CHARACTER + PADDING);
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
