/**
 * Reads the files that describe the mutants of the Parley libraries, and the cases that detect
 * faults on the wire.
 *
 * @module
 */

import exemptSchema from "../schemas/exempt_rows.schema.json" with { type: "json" };
import schema from "../schemas/mutants.schema.json" with { type: "json" };
import wireSchema from "../schemas/wire_faults.schema.json" with { type: "json" };
import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import { readJson } from "../../conformance/kit/json.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import { compileSchema } from "../../conformance/kit/schema.ts";
import { readText } from "../../conformance/platform/fs.ts";
import type { FaultRule } from "./fault_rule.ts";
import type { MemberMutant } from "./workspace.ts";

const FILES = [
  "comm.json",
  "comm_checks.json",
  "runtime.json",
  "runtime_checks.json",
  "models.json",
  "mcp.json",
  "mcp_checks.json",
];

/** A mutant as written in a list. At least one of the lists `kills` and `rows` is present. */
type WrittenMutant =
  & Omit<MemberMutant, "kills" | "rows">
  & Partial<Pick<MemberMutant, "kills" | "rows">>;

/**
 * Reads the lists of mutants.
 *
 * @param folder Folder that contains the lists of mutants.
 * @throws {KitError} With code `bad_file` if a file is malformed, or if two mutants have the same
 * id.
 */
export async function readMemberMutants(folder: URL): Promise<readonly MemberMutant[]> {
  const files = FILES.map((name) => new URL(name, folder));
  const texts = await Promise.all(files.map(async (file) => await readText(file) ?? "[]"));
  const places = files.flatMap(({ pathname }, index) => listIds(pathname, texts[index] ?? ""));
  const problem = findIdProblem(places);
  if (problem !== undefined) throw new KitError(KitErrorCode.BadFile, problem);
  const lists = files.map((file, index) => parseChecked(texts[index] ?? "", file, schema));
  const mutants = lists.flat() as readonly WrittenMutant[];
  return mutants.map((mutant) => ({ kills: [], rows: [], ...mutant }));
}

/** An id in a list of mutants, and its place as `file:line`. */
export interface IdPlace {
  readonly id: string;
  readonly place: string;
}

/** Returns the ids in the text of a list of mutants, in which each id is on a line of its own. */
function listIds(path: string, text: string): readonly IdPlace[] {
  return text.split("\n").flatMap((line, index) => {
    const id = /^ *"id": "([^"]*)"/.exec(line)?.[1];
    return id === undefined ? [] : [{ id, place: `${path}:${index + 1}` }];
  });
}

/** Describes the first id that is malformed or used twice. */
export function findIdProblem(ids: readonly IdPlace[]): string | undefined {
  const { pattern, description } = schema.items.properties.id;
  const taken = new Map<string, string>();
  for (const { id, place } of ids) {
    if (!new RegExp(pattern, "u").test(id)) {
      return `Cannot use mutant id "${id}" (${place}): expected ${description} (${pattern})`;
    }
    const other = taken.get(id);
    if (other !== undefined) {
      return `Cannot use mutant id "${id}" (${place}): the id is used in ${other}`;
    }
    taken.set(id, place);
  }
  return undefined;
}

/**
 * Reads the names of the vector case rows that require no mutant.
 *
 * @param file URL of the list of rows.
 * @throws {KitError} With code `bad_file` if the file is malformed.
 */
export async function readExemptRows(file: URL): Promise<readonly string[]> {
  const groups = await readList(file, exemptSchema) as readonly { readonly rows: string[] }[];
  return groups.flatMap(({ rows }) => rows);
}

/** Lists of case ids, keyed by the id of a fault that a relay makes. */
export type WireKills = ReadonlyMap<string, readonly string[]>;

/**
 * Reads the cases that detect the faults on the wire.
 *
 * @param file URL of the list of faults.
 * @throws {KitError} With code `bad_file` if the file is malformed.
 */
export async function readWireKills(file: URL): Promise<WireKills> {
  const list = await readList(file, wireSchema) as readonly {
    readonly id: string;
    readonly kills: readonly string[];
  }[];
  return new Map(list.map(({ id, kills }) => [id, kills]));
}

/**
 * Reads a list and validates it against the schema. Returns an empty list if the file does not
 * exist.
 */
async function readList(file: URL, listSchema: object): Promise<readonly unknown[]> {
  const list = await readChecked(file, listSchema);
  return Array.isArray(list) ? list : [];
}

/**
 * Reads a JSON file and validates it against the schema. Returns `undefined` if the file does not
 * exist.
 *
 * @throws {KitError} With code `bad_file` if the file is malformed.
 */
export async function readChecked(file: URL, fileSchema: object): Promise<unknown> {
  const text = await readText(file);
  return text === undefined ? undefined : parseChecked(text, file, fileSchema);
}

function parseChecked(text: string, file: URL, fileSchema: object): unknown {
  const parsed = readJson(text);
  const problem = parsed === undefined
    ? { path: "", message: "invalid JSON" }
    : compileSchema(fileSchema)(parsed.value);
  if (problem === undefined) return parsed?.value;
  const reason = `${problem.path} ${problem.message}`;
  throw new KitError(KitErrorCode.BadFile, `Cannot read list "${file.pathname}": ${reason}`);
}

/** Finds errors in the lists: unknown cases, and rules without a list of cases. */
export function findListProblems(
  mutants: readonly Pick<MemberMutant, "id" | "kills">[],
  { rules, wireKills, suite }: {
    readonly rules: readonly Pick<FaultRule, "id">[];
    readonly wireKills: WireKills;
    readonly suite: Suite;
  },
): readonly string[] {
  const wire = [...wireKills].map(([id, kills]) => ({ id, kills }));
  return [
    ...[...mutants, ...wire].flatMap(({ id, kills }) =>
      kills.filter((kill) => !suite.has(kill))
        .map((kill) => `mutant ${id} lists ${kill}, which is not a case`)
    ),
    ...rules.filter(({ id }) => !wireKills.has(id))
      .map(({ id }) => `no case is listed for the rule ${id}`),
    ...wire.filter(({ id }) => !rules.some((rule) => rule.id === id))
      .map(({ id }) => `cases are listed for ${id}, which is not a rule`),
  ];
}
