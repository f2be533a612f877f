import { assert, assertEquals } from "@std/assert";
import type { Case } from "../kit/case.ts";
import { isObject } from "../kit/json.ts";
import type { Suite } from "../kit/load_cases.ts";
import type { RequirementSet } from "../kit/requirement_set.ts";
import { setDigest, toSetCase } from "../runner/case_digest.ts";
import { loadSuite } from "../suite.ts";
import { findSetProblems, type SetFiles } from "./check_sets.ts";
import { formatSet, sortCases } from "./draft_set.ts";

/** Number of random changes of each test. */
const CHANGES = 100;

const EDITORIAL: readonly string[] = [
  "title",
  "why",
  "refs",
  "source",
  "clauses",
  "flags",
  "aliases",
  "since",
  "until",
  "intermediate",
];

/** A value and the path at which a change applies. */
type Path = readonly (string | number)[];

const CASES = [...loadSuite().values()].filter(({ level }) => level !== "INFO");

Deno.test("any change of a normative member of a released case is detected", () => {
  const random = createRandom(20_261_129);
  const changed = new Set<string>();
  for (let count = 0; count < CHANGES; count++) {
    const { suite, files } = release(random);
    const each = pick([...suite.values()], random);
    const path = pick(listPaths(each).filter(isNormative), random);
    const other = changeAt(each, path, random);
    const problems = findSetProblems(files, new Map([...suite, [each.id, other]]));
    const place = `${each.id} at ${path.join(".")}: ${JSON.stringify(other).slice(0, 2000)}`;
    assertEquals(problems, [`comm.1: ${each.id} has changed`], place);
    changed.add(String(path[0]));
  }
  assert(changed.size >= 5, `only members ${[...changed].join(", ")} were changed`);
});

Deno.test("a change of each kind of normative member is detected, also if the member is added or removed", () => {
  const random = createRandom(7);
  const names = new Set(CASES.flatMap((each) => Object.keys(each)));
  const normative = [...names].filter((name) => !EDITORIAL.includes(name) && name !== "file");
  for (const name of ["level", "basis", "needs", "revisions", "control", "timing", "isolation"]) {
    assert(normative.includes(name), name);
  }
  for (const name of normative.filter((each) => each !== "id")) {
    const each = pick(CASES.filter((one) => Object.hasOwn(one, name)), random);
    const { [name]: value, ...rest } = toMembers(each);
    // A vector always has rows.
    const others = name === "rows" ? [] : [rest];
    for (const other of [...others, { ...rest, [name]: [value] }]) {
      assertEquals(changesOf(each, other), [`comm.1: ${each.id} has changed`], name);
    }
    const without = CASES.find((one) => !Object.hasOwn(one, name) && one.kind === each.kind);
    if (without === undefined) continue;
    const added = { ...toMembers(without), [name]: value };
    assertEquals(changesOf(without, added), [`comm.1: ${without.id} has changed`], name);
  }
});

Deno.test("changes of editorial members and of the names of rows are allowed", () => {
  const random = createRandom(3);
  for (const name of EDITORIAL) {
    const each = pick(CASES, random);
    assertEquals(changesOf(each, { ...toMembers(each), [name]: ["changed"] }), [], name);
  }
  const vectors = CASES.flatMap((each) => each.kind === "vector" ? [each] : []);
  for (let count = 0; count < CHANGES; count++) {
    const each = pick(vectors, random);
    const rows = each.rows.map((row, index) => ({ ...row, name: `other ${index}` }));
    assertEquals(changesOf(each, { ...each, rows }), []);
  }
});

/** Compares a changed case with a released set that contains only this case. */
function changesOf(each: Case, changed: object): readonly string[] {
  // The digest is calculated before the case is run, so an invalid case is allowed.
  return findSetProblems(filesOf([each]), new Map([[each.id, changed as Case]]));
}

/** Releases a set of random cases. */
function release(random: () => number): { readonly suite: Suite; readonly files: SetFiles } {
  const cases = Array.from({ length: 20 }, () => pick(CASES, random));
  const suite = new Map(cases.map((each) => [each.id, each]));
  return { suite, files: filesOf([...suite.values()]) };
}

function filesOf(cases: readonly Case[]): SetFiles {
  const listed = sortCases(cases.map(toSetCase));
  const set: RequirementSet = {
    name: "comm.1",
    format: 1,
    kit: "0.1.0",
    frozen: "2026-12-01",
    digest: setDigest("comm.1", listed),
    cases: listed,
  };
  return new Map([["comm.1.json", formatSet({ ...set })]]);
}

function toMembers(each: Case): Readonly<Record<string, unknown>> {
  return { ...each };
}

/** Lists the paths of all values in a case. */
function listPaths(value: unknown, path: Path = []): readonly Path[] {
  const entries = Array.isArray(value)
    ? [...value.entries()]
    : isObject(value)
    ? Object.entries(value)
    : [];
  return entries.flatMap(([name, member]) => {
    const below = [...path, name];
    return [below, ...listPaths(member, below)];
  });
}

/** The id is excluded, because a case with another id is another case. */
function isNormative([name, ...below]: Path): boolean {
  if (typeof name !== "string" || ["id", "file", ...EDITORIAL].includes(name)) return false;
  return !(name === "rows" && below.length === 2 && below[1] === "name");
}

/** Changes the value at a path, or removes it. */
function changeAt(each: Case, path: Path, random: () => number): Case {
  const copy: unknown = structuredClone(each);
  const parent = path.slice(0, -1).reduce<unknown>(
    (value, name) => (value as Record<string | number, unknown>)[name],
    copy,
  ) as Record<string | number, unknown>;
  const name = path.at(-1) ?? "";
  if (random() < 0.3 && !Array.isArray(parent)) delete parent[name];
  else parent[name] = changeValue(parent[name], random);
  return copy as Case;
}

function changeValue(value: unknown, random: () => number): unknown {
  if (typeof value === "string") {
    return random() < 0.5 ? `${value} ` : value.slice(0, -1) + "\u00e9";
  }
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return [...value, 0];
  return isObject(value) ? { ...value, more: 0 } : false;
}

function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError("Cannot pick an item: the list is empty");
  return item;
}

/** Creates a generator of numbers from 0 to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
