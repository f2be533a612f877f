/**
 * A report as JSON, for other programs; `schemas/report.schema.json` describes it.
 *
 * @module
 */

import type { Report } from "../kit/report.ts";

/** Writes the report as indented JSON. */
export function formatJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
