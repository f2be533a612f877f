import { assertEquals, assertMatch } from "@std/assert";
import type { Verdict } from "@parley/conformance";
import { type AccessPath, findGaps, findTrouble, type KitResult } from "./run_kit.ts";

/** Returns a result with one case per verdict. A case is required unless its id is `optional`. */
function kitResult(
  name: string,
  verdicts: Readonly<Record<string, Verdict>>,
  { path = "driver", unsupported = [] }: {
    readonly path?: AccessPath;
    readonly unsupported?: readonly AccessPath[];
  } = {},
): KitResult {
  return {
    name,
    unsupported: new Map(unsupported.map((each) => [each, "not supported"])),
    results: new Map(
      Object.entries(verdicts)
        .map(([id, verdict]) => [id, { verdict, path, isRequired: id !== "optional" }]),
    ),
  };
}

Deno.test("findTrouble() returns required cases that fail, and cases whose verdicts differ or are missing", () => {
  const trouble = findTrouble([
    kitResult("x", {
      good: "pass",
      other: "n/a",
      bad: "fail",
      optional: "fail",
      odd: "pass",
      lost: "pass",
    }),
    kitResult("y", { good: "pass", other: "n/a", bad: "fail", optional: "fail", odd: "hang" }),
  ]);
  assertEquals(trouble.map((each) => each.split("\n")[0]), ["bad", "lost", "odd"]);
  assertEquals(trouble[1]?.split("\n").slice(1), ["  x            pass", "  y            absent"]);
});

Deno.test("findTrouble() ignores a runtime whose access path is unsupported and that has no verdict", () => {
  const path = "server over stdio";
  const all = kitResult("x", { a: "pass", b: "pass", c: "pass" }, { path });
  const some = kitResult("y", { b: "n/a", c: "fail" }, { path, unsupported: [path] });
  assertEquals(findTrouble([all, some]).map((each) => each.split("\n")[0]), ["c"]);
  const other = kitResult("z", { b: "n/a", c: "pass" }, {
    path,
    unsupported: ["client over stdio"],
  });
  assertEquals(findTrouble([all, other]).map((each) => each.split("\n")[0]), ["a", "b"]);
});

Deno.test("findTrouble() ignores the cases that a runtime lists as limits", () => {
  const limits = new Map([["a", "no such event"]]);
  const all = kitResult("x", { "a (driver)": "pass", "b (driver)": "pass" });
  const limited = { ...kitResult("y", { "a (driver)": "fail", "b (driver)": "fail" }), limits };
  const trouble = findTrouble([all, limited]);
  assertEquals(trouble.map((each) => each.split("\n")[0]), ["b (driver)"]);
});

Deno.test("findGaps() returns a passed case that a runtime lists as a limit", () => {
  const limits = new Map([["a", "no such event"], ["b", "no such event"]]);
  const results = { "a (driver, 2025-11-25)": "pass", "b (driver, 2025-11-25)": "fail" } as const;
  const [, ...stale] = findGaps({
    ...kitResult("x", results),
    unsupported: new Map(
      (["server over stdio", "server over http", "client over stdio", "client over http"] as const)
        .map((path) => [path, "not supported"]),
    ),
    limits,
  });
  assertEquals(stale, ["x passes a (driver, 2025-11-25), but lists it as a limit"]);
});

Deno.test("findGaps() returns paths with too few passed cases, and unsupported paths with passed cases", () => {
  const paths = [
    "driver",
    "server over stdio",
    "server over http",
    "client over stdio",
    "client over http",
  ] as const;
  const passes = (count: number, path: AccessPath): KitResult["results"] =>
    new Map(
      Array.from({ length: count }, (_, index) => [
        `${path} ${index}`,
        { verdict: "pass", path, isRequired: true },
      ]),
    );
  const enough = {
    name: "x",
    unsupported: new Map(),
    results: new Map(paths.flatMap((path) => [...passes(1000, path)])),
  };
  assertEquals(findGaps(enough), []);
  const results = new Map([...passes(1000, "driver"), ...passes(1, "client over http")]);
  const unsupported = new Map<AccessPath, string>([
    ["driver", "not supported"],
    ["server over stdio", "not supported"],
    ["server over http", "not supported"],
    ["client over stdio", "not supported"],
  ]);
  const [first = "", second = "", ...rest] = findGaps({ name: "y", unsupported, results });
  assertEquals([first, rest], ["y supports driver, but lists it as unsupported", []]);
  assertMatch(second, /^y: 1 cases passed on client over http, expected at least \d+$/);
});
