/**
 * Arranges the case files of a folder: places each case in the file of its topic, and moves the
 * members that most cases of a file share to its defaults.
 *
 * @module
 */

import { expandCase, type SharedMembers } from "../kit/expand_cases.ts";
import { formatCaseFile } from "../kit/format_cases.ts";
import { formatCanonicalJson, isObject, type JsonObject, type JsonValue } from "../kit/json.ts";
import { readCaseFile } from "../kit/load_cases.ts";
import { pathOf } from "./topics.ts";

/** Parsed case files, keyed by their path relative to the folder of cases. */
export type CaseFiles = ReadonlyMap<string, WrittenFile>;

/** A valid case file, with its short forms. */
export interface WrittenFile extends SharedMembers {
  readonly cases: readonly JsonObject[];
}

/** Texts of case files, keyed by their path relative to the folder of cases. */
export type CaseTexts = ReadonlyMap<string, string>;

/** Maximum length of a file, in bytes. Larger files are slow to edit and to review. */
const MAX_BYTES = 150_000;

/** Members of a case that `defaults` can contain. */
const DEFAULT_NAMES = ["kind", "role", "revisions", "needs", "refs", "source"];

/**
 * Parses case files.
 *
 * @throws {SyntaxError} If a file is not a valid case file. The message contains the path of the
 * file.
 */
export function parseCaseFiles(texts: CaseTexts): CaseFiles {
  return new Map([...texts].map(([path, text]) => [path, parseFile(path, text)]));
}

function parseFile(path: string, text: string): WrittenFile {
  const value: unknown = JSON.parse(text);
  const result = readCaseFile(value);
  if (!result.ok) throw new SyntaxError(`${path}: ${result.reason}`);
  // The schema accepts the file, so it has the form of a written file.
  return value as WrittenFile;
}

/** A case, and where and how it is written. */
interface ArrangedCase {
  readonly path: string;
  /** The case with its defaults, and with the short forms of the file that contains it. */
  readonly written: JsonObject;
  /** Whether the case was in another file. */
  readonly isMoved: boolean;
}

/**
 * Returns the text of each file after the cases are placed. A case that moves to another file is
 * added at its end, and the values that it names are written out.
 *
 * @throws {RangeError} If a case has no topic, or if a file is too large.
 */
export function arrangeCases(files: CaseFiles): CaseTexts {
  const cases = [...files].flatMap(([path, file]) =>
    file.cases.map((each) => placeCase(path, file, each))
  );
  const groups = Map.groupBy(
    // The cases that stay in their file come first.
    cases.toSorted((a, b) => Number(a.isMoved) - Number(b.isMoved)),
    ({ path }) => path,
  );
  return new Map(
    [...groups].sort(([a], [b]) => a < b ? -1 : 1).map(([path, group]) => {
      const text = formatGroup(path, group.map(({ written }) => written), files.get(path)?.values);
      return [path, checkSize(path, text)];
    }),
  );
}

function placeCase(
  from: string,
  { defaults, values }: WrittenFile,
  each: JsonObject,
): ArrangedCase {
  const written = { ...defaults, ...each };
  const { id, kind, role, clauses } = written;
  const path = pathOf({
    id: String(id),
    kind: String(kind),
    role: role === undefined ? undefined : String(role),
    clauses: Array.isArray(clauses) ? clauses.map(String) : [],
  });
  if (path === from) return { path, written, isMoved: false };
  return { path, written: writeOutValues(written, values ?? {}), isMoved: true };
}

/**
 * Replaces the names of values in an object's members with the values, which can contain other
 * short forms.
 */
function writeOutValues(each: JsonObject, values: JsonObject): JsonObject {
  const writeOut = (value: JsonValue): JsonValue => {
    if (typeof value !== "object" || value === null) return value;
    if (!isObject(value)) return value.map(writeOut);
    const [name, ...others] = Object.keys(value);
    return name === "$value" && others.length === 0
      ? values[String(value.$value)] ?? null
      : writeOutValues(value, values);
  };
  return Object.fromEntries(Object.entries(each).map(([name, value]) => [name, writeOut(value)]));
}

function formatGroup(
  path: string,
  cases: readonly JsonObject[],
  values: JsonObject | undefined,
): string {
  const defaults = findDefaults(cases);
  const used = findUsedValues(cases, values ?? {});
  return formatCaseFile({
    $schema: `${"../".repeat(path.split("/").length)}schemas/case.schema.json`,
    kit: 1,
    ...(isEmpty(defaults) ? {} : { defaults }),
    ...(isEmpty(used) ? {} : { values: used }),
    cases: cases.map((each) => withoutDefaults(each, defaults)),
  });
}

/** Returns the members that all cases have, with the value that more than half of them have. */
function findDefaults(cases: readonly JsonObject[]): JsonObject {
  const entries = DEFAULT_NAMES.flatMap((name) => {
    const values = cases.flatMap((each) => each[name] === undefined ? [] : [each[name]]);
    if (values.length < cases.length) return [];
    const groups = Map.groupBy(values, formatCanonicalJson);
    const [value] = [...groups.values()].find((group) => group.length > cases.length / 2) ?? [];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function withoutDefaults(each: JsonObject, defaults: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(each).filter(([name, value]) =>
      defaults[name] === undefined ||
      formatCanonicalJson(defaults[name]) !== formatCanonicalJson(value)
    ),
  );
}

function findUsedValues(cases: readonly JsonObject[], values: JsonObject): JsonObject {
  const text = JSON.stringify(cases);
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => text.includes(`{"$value":${JSON.stringify(name)}}`)),
  );
}

function isEmpty(value: JsonObject): boolean {
  return Object.keys(value).length === 0;
}

function checkSize(path: string, text: string): string {
  if (text.length <= MAX_BYTES) return text;
  throw new RangeError(
    `Cannot write ${path}: the file has ${text.length} bytes, and at most ${MAX_BYTES} are allowed; ` +
      "divide its topic in authoring/topics.ts",
  );
}

/**
 * Replaces the cases of some areas with other cases. A case that is not changed keeps its short
 * forms.
 *
 * @param areas Prefixes of the ids of the cases that are replaced.
 * @param cases Complete cases, which are placed when the files are arranged.
 */
export function replaceCases(
  files: CaseFiles,
  areas: readonly string[],
  cases: readonly JsonObject[],
): CaseFiles {
  const left = new Map(cases.map((each) => [String(each.id), each]));
  const replaced = [...files].map(([path, file]): [string, WrittenFile] => {
    const { defaults, values = {} } = file;
    const kept = file.cases.flatMap((each) => {
      const id = String(each.id);
      const written = { ...defaults, ...each };
      if (!areas.some((area) => id.startsWith(`${area}/`))) return [written];
      const made = left.get(id);
      left.delete(id);
      if (made === undefined) return [];
      const isEqual = formatCanonicalJson(expandCase(each, file)) === formatCanonicalJson(made);
      return [isEqual ? written : made];
    });
    return [path, { values, cases: kept }];
  });
  return new Map([...replaced, ["", { cases: [...left.values()] }]]);
}

/** Describes each file that differs from its arranged text, with the first line that differs. */
export function findDifferences(texts: CaseTexts, arranged: CaseTexts): readonly string[] {
  const paths = [...new Set([...texts.keys(), ...arranged.keys()])].sort();
  return paths.flatMap((path) => {
    const [text, wanted] = [texts.get(path), arranged.get(path)];
    if (text === wanted) return [];
    if (wanted === undefined) return [`${path}: its cases belong in other files`];
    if (text === undefined) return [`${path} is missing, and cases of other files belong in it`];
    return [`${path}:${findFirstDifference(text, wanted)} is not as deno task cases writes it`];
  });
}

/** Returns the number of the first line that differs, counted from 1. */
function findFirstDifference(text: string, wanted: string): number {
  const lines = text.split("\n");
  const other = wanted.split("\n");
  const count = Math.max(lines.length, other.length);
  return Array.from({ length: count }, (_, index) => index)
    .findIndex((index) => lines[index] !== other[index]) + 1;
}
