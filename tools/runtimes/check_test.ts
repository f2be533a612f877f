import { assertEquals, assertMatch } from "@std/assert";
import type { Verdict } from "@parley/conformance";
import type { Output } from "./bundle.ts";
import { measure } from "./check_size.ts";
import { findGaps, findTrouble, type Judgement, type Way } from "./judge.ts";

function output(imports: Output["imports"]): Output {
  return { bytes: 1, inputs: {}, imports, exports: [] };
}

Deno.test("measure() counts static chunks apart from those behind import()", () => {
  const text = (length: number): Uint8Array<ArrayBuffer> =>
    crypto.getRandomValues(new Uint8Array(length));
  const { staticBytes, wholeBytes, builtins } = measure({
    entry: "entry.js",
    files: new Map([["entry.js", text(1000)], ["a.js", text(2000)], ["b.js", text(4000)]]),
    outputs: new Map([
      ["entry.js", output([{ path: "out/a.js", kind: "import-statement" }])],
      ["a.js", output([{ path: "out/b.js", kind: "dynamic-import" }])],
      ["b.js", output([{ path: "node:fs", kind: "import-statement", external: true }])],
    ]),
  });
  assertEquals(Math.floor(staticBytes / 1000), 3);
  assertEquals(Math.floor(wholeBytes / 1000), 7);
  assertEquals(builtins, ["node:fs"]);
});

/** A judgement in which each verdict stands for one case, which is required unless its id says otherwise. */
function judgement(
  name: string,
  verdicts: Readonly<Record<string, Verdict>>,
  { way = "driver", lacks = [] }: { readonly way?: Way; readonly lacks?: readonly Way[] } = {},
): Judgement {
  return {
    name,
    lacks: new Map(lacks.map((each) => [each, "it has none"])),
    results: new Map(
      Object.entries(verdicts)
        .map(([id, verdict]) => [id, { verdict, way, isRequired: id !== "optional" }]),
    ),
  };
}

Deno.test("findTrouble() names cases that fail where they must not, differ or are missing", () => {
  const trouble = findTrouble([
    judgement("x", {
      good: "pass",
      other: "n/a",
      bad: "fail",
      optional: "fail",
      odd: "pass",
      lost: "pass",
    }),
    judgement("y", { good: "pass", other: "n/a", bad: "fail", optional: "fail", odd: "hang" }),
  ]);
  assertEquals(trouble.map((each) => each.split("\n")[0]), ["bad", "lost", "odd"]);
  assertEquals(trouble[1]?.split("\n").slice(1), ["  x        pass", "  y        absent"]);
});

Deno.test("findTrouble() does not ask for what a place lacks, unless it shows a verdict all the same", () => {
  const way = "server over stdio";
  const all = judgement("x", { a: "pass", b: "pass", c: "pass" }, { way });
  const some = judgement("y", { b: "n/a", c: "fail" }, { way, lacks: [way] });
  assertEquals(findTrouble([all, some]).map((each) => each.split("\n")[0]), ["c"]);
  const other = judgement("z", { b: "n/a", c: "pass" }, { way, lacks: ["client over stdio"] });
  assertEquals(findTrouble([all, other]).map((each) => each.split("\n")[0]), ["a", "b"]);
});

Deno.test("findGaps() names ways in which too little passed, and those that are there after all", () => {
  const ways = [
    "driver",
    "server over stdio",
    "server over http",
    "client over stdio",
    "client over http",
  ] as const;
  const passes = (count: number, way: Way): Judgement["results"] =>
    new Map(
      Array.from({ length: count }, (_, index) => [
        `${way} ${index}`,
        { verdict: "pass", way, isRequired: true },
      ]),
    );
  const enough = {
    name: "x",
    lacks: new Map(),
    results: new Map(ways.flatMap((way) => [...passes(1000, way)])),
  };
  assertEquals(findGaps(enough), []);
  const results = new Map([...passes(1000, "driver"), ...passes(1, "client over http")]);
  const lacks = new Map<Way, string>([
    ["driver", "it has none"],
    ["server over stdio", "it has none"],
    ["server over http", "it has none"],
    ["client over stdio", "it has none"],
  ]);
  const [first = "", second = "", ...rest] = findGaps({ name: "y", lacks, results });
  assertEquals([first, rest], ["y has a driver after all", []]);
  assertMatch(second, /^y: 1 of at least \d+, client over http$/);
});
