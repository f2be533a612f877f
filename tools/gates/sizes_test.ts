import { assertEquals } from "@std/assert";
import { compareToBar, findImports } from "./sizes.ts";

Deno.test("compareToBar() allows a size up to its limit, or up to its ratchet if the limit is exceeded", () => {
  const table: readonly [number, number | undefined, boolean, string][] = [
    [9.9, undefined, true, ""],
    [10.1, undefined, false, "must be at most 10 KB, got 10.10"],
    [10.1, 10.5, true, `lower "ratchetKb" to 10.10`],
    [10.5, 10.5, true, ""],
    [10.6, 10.5, false, "must be at most 10.5 KB, got 10.60"],
    [9.9, 10.5, true, `remove "ratchetKb" from sizes.json`],
  ];
  for (const [kb, ratchetKb, isAllowed, advice] of table) {
    const bar = { maxKb: 10, ...(ratchetKb === undefined ? {} : { ratchetKb }) };
    assertEquals(compareToBar(bar, kb), { isAllowed, advice }, `${kb} KB`);
  }
});

Deno.test("findImports() finds static imports and import() of modules that are not external", () => {
  const table: readonly [string, readonly string[]][] = [
    [`var a=1;export{a as x};`, []],
    [`await import("../auth/x.ts");`, []],
    [`await import("./other.js");`, [`import("./other.js")`]],
    [`import{a as b}from"node:fs";b();`, [`import "node:fs"`]],
    [`import{a as b}from"node:crypto";b();`, []],
    [`import"../auth/x.ts";`, [`import "../auth/x.ts"`]],
    [`import"x";`, [`import "x"`]],
    [`export*from"x";`, [`import "x"`]],
    [`var important="x";log("import(a)","from")`, []],
  ];
  for (const [bundle, expected] of table) {
    assertEquals(findImports(bundle, ["../auth/*", "node:crypto"]), [...expected], bundle);
  }
});
