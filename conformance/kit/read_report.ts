/**
 * Reads reports that a run has written, also of other versions of the kit.
 *
 * @module
 */

import { CaseLevel } from "./case.ts";
import { ErratumEffect } from "./errata.ts";
import { KitError, KitErrorCode } from "./error.ts";
import { readJson } from "./json.ts";
import type { Report } from "./report.ts";
import { compileSchema } from "./schema.ts";
import { type CaseResult, Verdict } from "./verdict.ts";

/** The members of a result that are compared. */
export type ComparedResult = Pick<
  CaseResult,
  "id" | "rev" | "transport" | "level" | "verdict" | "state" | "erratum" | "isDifference"
>;

/** The members of a report that are compared. */
export interface ComparedReport
  extends Pick<Report, "kit" | "subjects" | "startedAt" | "requirements"> {
  readonly results: readonly ComparedResult[];
}

const TEXT = { type: "string" };

/** The compared members. Other members are ignored, because they can change between versions. */
const SCHEMA = {
  type: "object",
  required: ["report", "kit", "subjects", "startedAt", "results"],
  properties: {
    report: { const: 2 },
    kit: TEXT,
    startedAt: TEXT,
    subjects: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "version"],
        properties: { name: TEXT, version: TEXT },
      },
    },
    requirements: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "digest"],
        properties: { name: TEXT, digest: TEXT },
      },
    },
    results: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "rev", "level", "verdict"],
        properties: {
          id: TEXT,
          rev: { type: "string", pattern: "^[0-9a-f]{8}$" },
          transport: TEXT,
          level: { enum: Object.values(CaseLevel) },
          verdict: { enum: Object.values(Verdict) },
          state: { enum: ["proposed", "disputed"] },
          isDifference: { const: true },
          erratum: {
            type: "object",
            required: ["id", "effect", "reason"],
            properties: { id: TEXT, effect: { enum: Object.values(ErratumEffect) }, reason: TEXT },
          },
        },
      },
    },
  },
};

/**
 * Parses a report.
 *
 * @param text JSON text.
 * @param name File name for error messages.
 * @throws {KitError} With code `bad_file` if the text is not a report.
 */
export function parseReport(text: string, name: string): ComparedReport {
  const parsed = readJson(text);
  if (parsed === undefined) throw badReport(name, "invalid JSON");
  const problem = compileSchema(SCHEMA)(parsed.value);
  if (problem !== undefined) throw badReport(name, `${problem.path || "/"}: ${problem.message}`);
  // The schema has validated the members.
  return parsed.value as ComparedReport;
}

function badReport(name: string, reason: string): KitError {
  return new KitError(KitErrorCode.BadFile, `Cannot read report "${name}": ${reason}`);
}
