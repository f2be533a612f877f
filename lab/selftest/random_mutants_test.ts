import { assert, assertEquals } from "@std/assert";
import type { DrawnMutant } from "./drawn_mutant.ts";
import {
  type ExcludedClass,
  type Exclusions,
  findExclusion,
  readExclusions,
} from "./exclusions.ts";
import { listFiles, listPlaces, toMutant } from "./random/list_places.ts";
import { listSites, OPERATORS } from "./random/operators.ts";
import { seededRandom, shuffle } from "./random/seeded_random.ts";
import { TypeChecker } from "./random/type_checker.ts";
import { ts } from "./random/typescript.ts";
import {
  countRandom,
  formatCounts,
  formatResult,
  librariesOf,
  RANDOM_MEMBERS,
  type RandomResult,
} from "./random_mutants.ts";

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

Deno.test("findExclusion() excludes an emptied block only for a class that names the operator", () => {
  const emptied = { ...MUTANT, operator: "block-empty" };
  const lines = { reason: "a report", find: "throw" };
  const reasonOf = (each: ExcludedClass): string | undefined =>
    findExclusion({ outside: [], classes: [each], mutants: [] }, emptied);
  assertEquals(reasonOf(lines), undefined);
  assertEquals(reasonOf({ ...lines, operators: ["block-empty"] }), "a report");
  assertEquals(reasonOf({ reason: "a file", file: "^comm/" }), "a file");
  assertEquals(findExclusion({ outside: [], classes: [lines], mutants: [] }, MUTANT), "a report");
});

Deno.test("findExclusion() returns the reason of the class or of the mutant", () => {
  const none: Exclusions = { outside: [], classes: [], mutants: [] };
  assertEquals(findExclusion(none, MUTANT), undefined);
  const texts = { reason: "a text", operators: ["string-empty"], context: "Error$" };
  assertEquals(findExclusion({ ...none, classes: [texts] }, MUTANT), "a text");
  assertEquals(
    findExclusion({ ...none, classes: [{ ...texts, context: "^Error" }] }, MUTANT),
    undefined,
  );
  assertEquals(
    findExclusion({ ...none, classes: [{ ...texts, operators: ["number"] }] }, MUTANT),
    undefined,
  );
  const { file, find, replace } = MUTANT;
  const single = { reason: "equivalent", file, find, replace };
  assertEquals(findExclusion({ ...none, mutants: [single] }, MUTANT), "equivalent");
  assertEquals(
    findExclusion({ ...none, mutants: [{ ...single, replace: "" }] }, MUTANT),
    undefined,
  );
});

Deno.test("every single excluded mutant changes a text that occurs once, and every excluded file exists", async () => {
  const { mutants, outside } = await readExclusions(REPOSITORY);
  for (const { file, find } of mutants) {
    const text = await Deno.readTextFile(new URL(file, REPOSITORY));
    assertEquals(text.split(find).length - 1, 1, `${file}: ${find}`);
  }
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

Deno.test("every class of excluded mutants contains a mutant that can be drawn", async () => {
  const { classes, outside } = await readExclusions(REPOSITORY);
  const root = REPOSITORY.pathname.replace(/\/$/, "");
  const prefixes = outside.flatMap(({ files }) => files);
  const mutants = RANDOM_MEMBERS.flatMap((member) =>
    listFiles(root, member, prefixes).flatMap((file) => listPlaces(root, file))
      .map((place) => ({ id: member, member, ...toMutant(place, "") }))
  );
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  const empty = classes.filter((each) => {
    const files = [...byFile.keys()].filter((file) => new RegExp(each.file ?? "", "u").test(file));
    const only = { outside: [], classes: [each], mutants: [] };
    return !files.some((file) => byFile.get(file)?.some((mutant) => findExclusion(only, mutant)));
  });
  assertEquals(empty, []);
});

Deno.test("mutants of the shared code are drawn, and run with the cases of all libraries", () => {
  const root = REPOSITORY.pathname.replace(/\/$/, "");
  assert(RANDOM_MEMBERS.includes("internal"));
  assert(listFiles(root, "internal", []).includes("internal/json_schema.ts"));
  assertEquals(librariesOf("internal"), ["comm", "runtime", "mcp"]);
  assertEquals(librariesOf("comm"), ["comm"]);
});

Deno.test("formatResult() and formatCounts() show survivors and shares", () => {
  const results: readonly RandomResult[] = [
    { ...MUTANT, verdict: "survived" },
    { ...MUTANT, id: "comm-2", verdict: "killed", by: "comm/x/y" },
    { ...MUTANT, id: "comm-3", verdict: "excluded", by: "a text" },
    { ...MUTANT, id: "mcp-1", member: "mcp", verdict: "killed", by: "mcp/x/y" },
  ];
  assertEquals(results.slice(0, 2).map(formatResult), [
    'comm-1 survived comm/x.ts:3 string-empty\n  - "a"\n  + ""',
    "comm-2 killed comm/x.ts:3 string-empty (comm/x/y)",
  ]);
  assertEquals(
    formatCounts("comm", countRandom(results, "comm")),
    "comm: 1 of 2 killed (50 %), 1 of 3 excluded (33 %)",
  );
  assertEquals(
    formatCounts("all", countRandom(results)),
    "all: 2 of 3 killed (67 %), 1 of 4 excluded (25 %)",
  );
});
