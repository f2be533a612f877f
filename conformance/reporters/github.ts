/**
 * Annotations for GitHub Actions.
 *
 * @module
 */

import { describeIncomplete, formatLastLine, groupOf } from "../kit/counts.ts";
import { escapeText } from "../kit/escape_text.ts";
import type { Report } from "../kit/report.ts";
import { type CaseResult, describeFailure, describeState, isFailure } from "../kit/verdict.ts";

/**
 * Formats one annotation per failure, as workflow commands: an error if the failure fails the run,
 * otherwise a warning for SHOULD cases and a notice for all other cases. The last annotation
 * contains the counts.
 */
export function formatAnnotations(report: Report): string {
  const incomplete = describeIncomplete(report);
  const lines = [
    ...report.results.filter(isFailure).map((result) =>
      annotation(severityOf(result), result.id, describeState(result) ?? describeFailure(result))
    ),
    ...report.stale.map(({ id, reason }) => annotation("error", `baseline entry ${id}`, reason)),
    ...(incomplete === undefined ? [] : [annotation("error", "parley-kit", incomplete)]),
    annotation("notice", "parley-kit", formatLastLine(report)),
  ];
  return `${lines.join("\n")}\n`;
}

function severityOf(result: CaseResult): string {
  if (result.isRequired) return "error";
  return groupOf(result) === "should" ? "warning" : "notice";
}

function annotation(severity: string, title: string, text: string): string {
  const message = escapeText(text.replace(/[%\r\n]/g, (found) => encodeURIComponent(found)));
  // Commas and colons separate the properties of a workflow command.
  const name = escapeText(title.replace(/[%\r\n:,]/g, (found) => encodeURIComponent(found)));
  return `::${severity} title=${name}::${message}`;
}
