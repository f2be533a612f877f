/**
 * Case files that the generators create.
 *
 * @module
 */

import { formatCaseFile } from "../kit/format_cases.ts";
import type { JsonObject } from "../kit/json.ts";

/** A generated case file. */
export interface GeneratedFile {
  /** Path relative to `cases/`. */
  readonly path: string;
  readonly area: string;
  readonly source: string;
  readonly cases: readonly JsonObject[];
}

/** Formats a generated case file. */
export function formatGenerated({ area, source, cases }: GeneratedFile): string {
  return formatCaseFile({
    $schema: "../../schemas/case.schema.json",
    kit: 1,
    area,
    source,
    cases,
  });
}
