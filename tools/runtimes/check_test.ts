import { assertEquals } from "@std/assert";
import type { Verdict } from "@parley/conformance";
import type { Output } from "./bundle.ts";
import { findTrouble } from "./check_runtimes.ts";
import { measure } from "./check_size.ts";

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

Deno.test("findTrouble() names cases that fail where they must not, differ or are missing", () => {
  const judge = (runtime: string, verdicts: Readonly<Record<string, Verdict>>) => ({
    runtime,
    results: new Map(
      Object.entries(verdicts)
        .map(([id, verdict]) => [id, { verdict, isRequired: id !== "optional" }]),
    ),
  });
  const trouble = findTrouble([
    judge("x", {
      good: "pass",
      other: "n/a",
      bad: "fail",
      optional: "fail",
      odd: "pass",
      lost: "pass",
    }),
    judge("y", { good: "pass", other: "n/a", bad: "fail", optional: "fail", odd: "hang" }),
  ]);
  assertEquals(trouble.map((each) => each.split("\n")[0]), ["bad", "lost", "odd"]);
  assertEquals(trouble[1]?.split("\n").slice(1), ["  x        pass", "  y        absent"]);
});
