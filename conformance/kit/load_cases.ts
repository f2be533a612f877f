/**
 * Validates case files and joins them into a suite.
 *
 * @module
 */

import schema from "../schemas/case.schema.json" with { type: "json" };
import type { Case, CaseFile, VectorRow } from "./case.ts";
import { KitError, KitErrorCode } from "./error.ts";
import {
  expandCase,
  findShortFormProblem,
  findValueProblem,
  type SharedMembers,
} from "./expand_cases.ts";
import { type JsonObject, readJson } from "./json.ts";
import { compileSchema, type SchemaCheck } from "./schema.ts";

/** Result of reading an input: the value, or the reason why the input is invalid. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** Cases, keyed by id, in file order. */
export type Suite = ReadonlyMap<string, Case>;

/**
 * Validates a case file.
 *
 * @param value Parsed JSON, unvalidated.
 * @see PROTOCOL.md "Case files"
 */
export function readCaseFile(value: unknown): ReadResult<CaseFile> {
  const problem = caseFileCheck()(value);
  if (problem !== undefined) return invalid(`${problem.path || "/"}: ${problem.message}`);
  const written = value as WrittenFile;
  const malformed = findMalformed(written);
  if (malformed !== undefined) return invalid(malformed);
  // The schema cannot check what the short forms stand for, so the complete cases are checked, too.
  const complete = expandFile(written);
  const incomplete = complete.cases.map(findMissingMember).find((each) => each !== undefined);
  if (incomplete !== undefined) return invalid(incomplete);
  const second = caseFileCheck()(complete);
  if (second !== undefined) return invalid(`${second.path}: ${second.message}`);
  const file = toCaseFile(complete);
  const reason = file.cases.map(findHeaderProblem).find((each) => each !== undefined);
  return reason === undefined ? { ok: true, value: file } : invalid(reason);
}

/**
 * Parses a case file.
 *
 * @param text JSON text.
 * @param name File name for error messages.
 * @throws {KitError} With code `bad_file` if the text is not a valid case file.
 */
export function parseCaseFile(text: string, name: string): CaseFile {
  const parsed = readJson(text);
  if (parsed === undefined) throw badFile(name, "invalid JSON");
  const result = readCaseFile(parsed.value);
  if (!result.ok) throw badFile(name, result.reason);
  return result.value;
}

/**
 * Validates case files and joins them into one suite.
 *
 * @param files Parsed JSON, keyed by file name.
 * @throws {KitError} With code `bad_file` if a file is malformed, an id is not unique, or a control
 * is missing.
 *
 * @example Read custom cases
 * ```ts
 * import { readSuite } from "@parley/conformance";
 * import { assertEquals } from "@std/assert";
 *
 * const suite = readSuite(
 *   new Map([["mine.json", {
 *     kit: 1,
 *     cases: [{
 *       id: "comm/canonical-json/null",
 *       kind: "vector",
 *       title: "null stays null",
 *       level: "MUST",
 *       basis: "rfc8785",
 *       clauses: ["COMM-JCS-1"],
 *       why: "The smallest document there is.",
 *       source: "RFC 8785 section 3.2.2",
 *       op: "comm.canonicalize",
 *       input: { text: " null " },
 *       expect: { ok: { text: "null" } },
 *     }],
 *   }]]),
 * );
 * assertEquals([...suite.keys()], ["comm/canonical-json/null"]);
 * ```
 */
export function readSuite(files: ReadonlyMap<string, unknown>): Suite {
  for (const [name, value] of files) {
    const result = readCaseFile(value);
    if (!result.ok) throw badFile(name, result.reason);
  }
  return joinSuite(files);
}

/**
 * Joins validated case files, such as the kit's own files.
 *
 * @throws {KitError} With code `bad_file` if an id is not unique or a control is missing.
 */
export function joinSuite(files: ReadonlyMap<string, unknown>): Suite {
  const suite = new Map<string, Case>();
  // The assertion holds for files that are validated.
  for (const [name, value] of files) {
    addFile(suite, name, toCaseFile(expandFile(value as WrittenFile)));
  }
  checkNames(suite);
  return suite;
}

function addFile(suite: Map<string, Case>, name: string, file: CaseFile): void {
  for (const each of file.cases) {
    if (suite.has(each.id)) throw badFile(name, `duplicate id "${each.id}"`);
    suite.set(each.id, { ...each, file: name });
  }
}

function checkNames(suite: Suite): void {
  const taken = new Set(suite.keys());
  for (const { id, control, aliases = [] } of suite.values()) {
    if (control !== undefined && !suite.has(control)) {
      throw badFile(id, `unknown control "${control}"`);
    }
    for (const alias of aliases) {
      if (taken.has(alias)) throw badFile(id, `alias "${alias}" is already in use`);
      taken.add(alias);
    }
  }
}

/** Checks the rules that the schema cannot express. */
function findHeaderProblem(each: Case): string | undefined {
  const { id, level, clauses, control } = each;
  if (level !== "INFO" && clauses.length === 0) return `"${id}" is ${level} but names no clause`;
  if (control === id) return `"${id}" is its own control`;
  const names = each.kind === "vector" ? each.rows.map(({ name }) => name) : [];
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) return `"${id}" has two rows with the name "${twice}"`;
  return undefined;
}

/** A case file whose cases can have short forms. */
interface WrittenFile extends SharedMembers {
  readonly kit: number;
  readonly cases: readonly JsonObject[];
}

/** Finds a malformed short form. The message contains the id of the case. */
function findMalformed(file: WrittenFile): string | undefined {
  const inValues = findValueProblem(file);
  if (inValues !== undefined) return `/values: ${inValues}`;
  for (const each of file.cases) {
    const problem = findShortFormProblem(each, file);
    if (problem !== undefined) return `"${String(each.id)}": ${problem}`;
  }
  return undefined;
}

/** Writes out the short forms, which must be well-formed. */
function expandFile(file: WrittenFile): WrittenFile {
  return { kit: file.kit, cases: file.cases.map((each) => expandCase(each, file)) };
}

/** Finds a required member that neither a case nor the defaults of its file contain. */
function findMissingMember({ id, kind, role, source }: JsonObject): string | undefined {
  if (source === undefined) return `"${String(id)}" has no source`;
  if (kind === undefined) return `"${String(id)}" has no kind`;
  const hasRole = kind === "exchange" || (kind === "invariant" && String(id).startsWith("mcp/"));
  return hasRole && role === undefined ? `"${String(id)}" has no role` : undefined;
}

/** A vector in a case file: one input, or rows. */
type WrittenCase = Exclude<Case, { kind: "vector" }> | WrittenVector;
type WrittenVector =
  & Omit<Extract<Case, { kind: "vector" }>, "rows">
  & (Omit<VectorRow, "name"> | { readonly rows: readonly VectorRow[] });

/**
 * Call this function only with complete files that the schema accepts, because the type assertion
 * relies on it.
 */
function toCaseFile(value: unknown): CaseFile {
  const { cases } = value as { readonly cases: readonly WrittenCase[] };
  return { cases: cases.map(toCase) };
}

function toCase(written: WrittenCase): Case {
  if (written.kind !== "vector" || "rows" in written) return written;
  const { input, expect, ...rest } = written;
  return { ...rest, rows: [{ name: "", input, expect }] };
}

let check: SchemaCheck | undefined;

/**
 * Returns the schema check, which is compiled on first use so that importing the module stays fast.
 */
function caseFileCheck(): SchemaCheck {
  return check ??= compileSchema(schema);
}

function invalid(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

function badFile(name: string, reason: string): KitError {
  return new KitError(KitErrorCode.BadFile, `Cannot read case file "${name}": ${reason}`);
}
