import { assert, assertEquals } from "@std/assert";
import type { DrawnMutant } from "./drawn_mutant.ts";
import {
  type ExcludedClass,
  findClassReason,
  findSurvivorReason,
  readExclusions,
} from "./exclusions.ts";
import { listFiles, listPlaces, toMutant } from "./random/list_places.ts";
import { listSites, OPERATORS } from "./random/operators.ts";
import { seededRandom, shuffle } from "./random/seeded_random.ts";
import { TypeChecker } from "./random/type_checker.ts";
import { ts } from "./random/typescript.ts";
import { librariesOf, RANDOM_MEMBERS, type RandomResult } from "./random_mutants.ts";
import { countRandom, formatCounts, formatResult } from "./random_report.ts";

const REPOSITORY = new URL("../../", import.meta.url);
const MUTANT: DrawnMutant = {
  id: "comm-1",
  member: "comm",
  file: "comm/x.ts",
  line: 3,
  operator: "string-empty",
  context: "new TypeError",
  before: '"a"',
  after: '""',
  find: '  throw new TypeError("a");',
  replace: '  throw new TypeError("");',
};

/**
 * Applies every operator to a program. Returns `operator: replaced text -> replacements`, one line
 * for each replaced text.
 */
function mutate(text: string): readonly string[] {
  const source = ts.createSourceFile("x.ts", text, ts.ScriptTarget.ESNext, true);
  return listSites(source).map(({ operator, start, end, texts }) =>
    `${operator}: ${text.slice(start, end)} -> ${texts.join(" or ")}`
  );
}

for (
  const [code, ...expected] of [
    ['f("a");', 'stmt-remove: f("a"); -> ;', 'string-empty: "a" -> ""'],
    ["let a = 7;", "number: 7 -> 8 or (6)"],
    ["let a = b === c;", "equality: === -> !=="],
    ["let a = b <= c;", "boundary: <= -> <"],
    ["let a = b + c;", "arithmetic: + -> -"],
    ["let a = b && c;", "logical: b && c -> ((b) || (c))"],
    ["let a = b ?? c;", "fallback-drop: b ?? c -> (b) or (c)"],
    ["let a = !b;", "negation-drop: !b -> b"],
    ["let a = b ? c : d;", "cond-negate: b -> !(b)"],
    ["let a = b?.c;", "optional-chain: ?. -> !."],
    ["let a = { b };", "member-remove: b -> ...{}"],
    ["let a = { ...b };", "spread-remove: ...b -> ...{}"],
    ["let a = [b];", "array-empty: [b] -> []"],
    ["let a = b.some(c);", "method-swap: some -> every"],
    ["let a = b.trim();", "method-drop: b.trim() -> b"],
    ["let a = true;", "boolean: true -> false"],
    ["let a = /^b$/;", "regex: /^b$/ -> /b$/ or /^b/"],
    ["let a = await b;", "await-drop: await b -> b"],
    ["throw a;", "throw-drop: throw a; -> ;"],
    ["for (;; a++);", "increment: a++ -> a--"],
  ] as const
) {
  Deno.test(`listSites() finds the places of ${code}`, () => {
    assertEquals([...mutate(code)], expected);
  });
}

Deno.test("listSites() finds guards, blocks and returned values", () => {
  assertEquals(mutate("function f() { if (a) return b; }"), [
    "block-empty: { if (a) return b; } -> {}",
    "cond-negate: a -> !(a)",
    "guard-remove: if (a) return b; -> ;",
    'return-value: b -> undefined or false or true or "" or [] or 0 or null',
  ]);
});

Deno.test("listSites() finds no await whose removal results in an equivalent program", () => {
  const places = (body: string): readonly string[] =>
    mutate(body).filter((each) => each.startsWith("await-drop"));
  assertEquals(places("async function f() { if (a) return await b; return await c; }"), []);
  assertEquals(places("const f = async () => await a;"), []);
  assertEquals(places("async function* f() { yield await a; }"), []);
  assertEquals(places("async function f() { await a; }"), ["await-drop: await a -> a"]);
  assertEquals(places("async function f() { g(await a); }"), ["await-drop: await a -> a"]);
  assertEquals(places("async function* f() { yield* await a; }"), ["await-drop: await a -> a"]);
  assertEquals(places("async function f() { try { return await a; } finally { b(); } }"), [
    "await-drop: await a -> a",
  ]);
  assertEquals(places("async function f() { using a = b; return await c; }"), [
    "await-drop: await c -> c",
  ]);
  assertEquals(
    places("async function f() { switch (a) { case 1: using b = c; return await d; } }"),
    [
      "await-drop: await d -> d",
    ],
  );
  assertEquals(places("async function f() { for (const a of b) return await c; }"), [
    "await-drop: await c -> c",
  ]);
  assertEquals(
    places("async function f() { try { g(async () => { return await a; }); } catch {} }"),
    [],
  );
});

Deno.test("listSites() finds no places in types and imports", () => {
  assertEquals(mutate('import { a } from "b"; type C = "d" | 1; interface E { "f": true }'), []);
});

Deno.test("there are at least twenty operators", () => assert(OPERATORS.size >= 20));

Deno.test("shuffle() returns the same order for the same seed, and other orders for other seeds", () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  const order = (seed: number): readonly number[] => shuffle(items, seededRandom(seed));
  assertEquals(order(1), order(1));
  assert(order(1).join() !== order(2).join());
  assertEquals(order(1).toSorted((a, b) => a - b), items);
});

Deno.test("TypeChecker accepts a change without new type errors, and then discards the change", () => {
  const path = new URL("random/seeded_random.ts", import.meta.url).pathname;
  const text = Deno.readTextFileSync(path);
  const checker = new TypeChecker([path]);
  assert(checker.accepts(path, text.replace("state ^ (mixed >>> 14)", "state")));
  assert(!checker.accepts(path, text.replace("seed >>> 0", '""')));
  assert(!checker.accepts(path, `${text}}`));
  assert(checker.accepts(path, text));
});

Deno.test("TypeChecker resolves the files that the libraries share", () => {
  const path = new URL("mcp/protocol/client_description.ts", REPOSITORY).pathname;
  const text = Deno.readTextFileSync(path);
  const checker = new TypeChecker([path]);
  assert(checker.accepts(path, text));
  assert(!checker.accepts(path, text.replace("if (!isRecord(value)) return {};", ";")));
});

Deno.test("findClassReason() excludes an emptied block only for a class that names the operator", () => {
  const emptied = { ...MUTANT, operator: "block-empty" };
  const lines = { reason: "a report", find: "throw" };
  const reasonOf = (each: ExcludedClass): string | undefined => findClassReason([each], emptied);
  assertEquals(reasonOf(lines), undefined);
  assertEquals(reasonOf({ ...lines, operators: ["block-empty"] }), "a report");
  assertEquals(reasonOf({ reason: "a file", file: "^comm/" }), "a file");
  assertEquals(findClassReason([lines], MUTANT), "a report");
});

Deno.test("findClassReason() compares all members of a class", () => {
  const texts = { reason: "a text", operators: ["string-empty"], context: "Error$" };
  assertEquals(findClassReason([], MUTANT), undefined);
  assertEquals(findClassReason([texts], MUTANT), "a text");
  assertEquals(findClassReason([{ ...texts, context: "^Error" }], MUTANT), undefined);
  assertEquals(findClassReason([{ ...texts, operators: ["number"] }], MUTANT), undefined);
});

Deno.test("findSurvivorReason() compares the file and both texts", () => {
  const { file, find, replace } = MUTANT;
  const single = { reason: "equivalent", file, find, replace };
  assertEquals(findSurvivorReason([single], MUTANT), "equivalent");
  for (const other of [{ file: "comm/y.ts" }, { find: "" }, { replace: "" }]) {
    assertEquals(findSurvivorReason([{ ...single, ...other }], MUTANT), undefined);
  }
});

Deno.test("every known survivor changes a text that occurs once, and every excluded file exists", async () => {
  const { survivors, outside } = await readExclusions(REPOSITORY);
  const stale: string[] = [];
  for (const { file, find } of survivors) {
    const text = await Deno.readTextFile(new URL(file, REPOSITORY)).catch(() => "");
    if (text.split(find).length !== 2) stale.push(`${file}: ${find}`);
  }
  assertEquals(stale, [], "delete these survivors from lab/mutants/random.json");
  const known = ts.sys.readDirectory(REPOSITORY.pathname, [".ts"], undefined, [
    "internal/**/*.ts",
    "comm/**/*.ts",
    "runtime/**/*.ts",
    "mcp/**/*.ts",
  ]).map((path) => path.slice(REPOSITORY.pathname.length));
  for (const prefix of outside.flatMap(({ files }) => files)) {
    assert(known.some((path) => path.startsWith(prefix)), prefix);
  }
});

Deno.test("every class of excluded mutants contains at least two places", async () => {
  const { classes, outside } = await readExclusions(REPOSITORY);
  const root = REPOSITORY.pathname.replace(/\/$/, "");
  const prefixes = outside.flatMap(({ files }) => files);
  const mutants = RANDOM_MEMBERS.flatMap((member) =>
    listFiles(root, member, prefixes).flatMap((file) => listPlaces(root, file))
      .map((place) => ({ id: member, member, ...toMutant(place, "") }))
  );
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  const tooNarrow = classes.filter((each) => {
    const pattern = new RegExp(each.file ?? "", "u");
    const own = [...byFile].flatMap(([file, places]) => pattern.test(file) ? places : []);
    return own.filter((mutant) => findClassReason([each], mutant) !== undefined).length < 2;
  });
  const advice = "a class for a single place hides a survivor: move it to survivors, or delete it";
  assertEquals(tooNarrow, [], advice);
});

Deno.test("mutants of the shared code are drawn, and run with the cases of all libraries", () => {
  const root = REPOSITORY.pathname.replace(/\/$/, "");
  assert(RANDOM_MEMBERS.includes("internal"));
  assert(listFiles(root, "internal", []).includes("internal/json_schema.ts"));
  assertEquals(librariesOf("internal"), ["comm", "runtime", "mcp"]);
  assertEquals(librariesOf("comm"), ["comm"]);
});

const RESULTS: readonly RandomResult[] = [
  { ...MUTANT, verdict: "survived" },
  { ...MUTANT, id: "comm-2", verdict: "killed", by: "comm/x/y" },
  { ...MUTANT, id: "comm-3", verdict: "survived", excluded: "a text" },
  { ...MUTANT, id: "comm-4", verdict: "survived", known: "equivalent" },
  { ...MUTANT, id: "comm-5", verdict: "killed", by: "comm/x/z", excluded: "a text" },
  { ...MUTANT, id: "comm-6", verdict: "killed", by: "comm/x/z", known: "equivalent" },
  { ...MUTANT, id: "mcp-1", member: "mcp", verdict: "killed", by: "mcp/x/y" },
];

Deno.test("formatResult() shows the change of unexplained survivors and of wrong lists", () => {
  assertEquals(RESULTS.map(formatResult), [
    'comm-1 survived comm/x.ts:3 string-empty\n  - "a"\n  + ""',
    "comm-2 killed comm/x.ts:3 string-empty (comm/x/y)",
    "comm-3 survived comm/x.ts:3 string-empty: a text",
    "comm-4 survived comm/x.ts:3 string-empty: equivalent",
    'comm-5 KILLED ALTHOUGH LISTED comm/x.ts:3 string-empty (comm/x/z): a text\n  - "a"\n  + ""',
    'comm-6 KILLED ALTHOUGH LISTED comm/x.ts:3 string-empty (comm/x/z): equivalent\n  - "a"\n  + ""',
    "mcp-1 killed comm/x.ts:3 string-empty (mcp/x/y)",
  ]);
});

Deno.test("the counts contain known survivors and the shares of the places that are not tested", () => {
  const places = {
    comm: { all: 1000, outside: 360, inClasses: 175 },
    mcp: { all: 1000, outside: 280, inClasses: 165 },
  };
  const report = { results: RESULTS, places };
  assertEquals(
    formatCounts("comm", countRandom(report, ["comm"])),
    "comm: 3 of 5 killed (60.0 %), 1 excluded by class survived, 1 known survivors, " +
      "2 killed although listed, of 1000 places 360 are in files outside (36.0 %) " +
      "and 175 in excluded classes (17.5 %)",
  );
  assertEquals(
    formatCounts("all", countRandom(report, ["comm", "mcp"])),
    "all: 4 of 6 killed (66.7 %), 1 excluded by class survived, 1 known survivors, " +
      "2 killed although listed, of 2000 places 640 are in files outside (32.0 %) " +
      "and 340 in excluded classes (17.0 %)",
  );
});
