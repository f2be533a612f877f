/**
 * Reports in JSON, as described in `schemas/report.schema.json`.
 *
 * @module
 */

import { countResults } from "../kit/counts.ts";
import type { Report } from "../kit/report.ts";

/** Formats a report and its counts as indented JSON. */
export function formatJson(report: Report): string {
  const { results, ...head } = report;
  return `${JSON.stringify({ ...head, counts: countResults(report), results }, null, 2)}\n`;
}
