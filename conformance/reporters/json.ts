/**
 * Reports in JSON, as described in `schemas/report.schema.json`.
 *
 * @module
 */

import { countResults } from "../kit/counts.ts";
import { listMissingFixtures } from "../kit/missing_fixtures.ts";
import type { Report } from "../kit/report.ts";

/**
 * Formats a report and its counts as indented JSON, and the missing fixtures if cases are
 * untestable for this reason.
 */
export function formatJson(report: Report): string {
  const { results, ...head } = report;
  const missingFixtures = listMissingFixtures(results);
  const complete = {
    ...head,
    counts: countResults(report),
    ...(missingFixtures.length === 0 ? {} : { missingFixtures }),
    results,
  };
  return `${JSON.stringify(complete, null, 2)}\n`;
}
