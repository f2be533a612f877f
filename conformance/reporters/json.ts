/**
 * Reports in JSON, as described in `schemas/report.schema.json`.
 *
 * @module
 */

import type { Report } from "../kit/report.ts";

/** Formats a report as indented JSON. */
export function formatJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
