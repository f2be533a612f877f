import { assertEquals } from "@std/assert";
import { COPIES, firstDifference, onlyTypes, writeCopy } from "./copies.ts";

const SOURCE = `/**
 * Schemas.
 *
 * @module
 */

import * as internal from "@parley/internal/schema";

/** A schema. */
export type Schema = { readonly [keyword: string]: unknown };

/**
 * A validator.
 *
 * @example Use it
 * \`\`\`ts
 * import type { Validator } from "@parley/runtime";
 *
 * const validator: Validator = {};
 * \`\`\`
 */
export interface Validator {
  /** Compiles a schema. */
  compile(schema: Schema): void;
}

/** Checks a schema. */
export function isSchema(schema: unknown): boolean {
  return internal.isSchema(schema);
}
`;

const TYPES = `/**
 * Types of schemas and of schema validators.
 *
 * @module
 */

/** A schema. */
export type Schema = { readonly [keyword: string]: unknown };

/**
 * A validator.
 */
export interface Validator {
  /** Compiles a schema. */
  compile(schema: Schema): void;
}
`;

Deno.test("onlyTypes() keeps types with their docs, without imports, functions and examples", () => {
  assertEquals(onlyTypes(SOURCE, "Types of schemas and of schema validators."), TYPES);
});

Deno.test("writeCopy() names the source of a module and copies other files unchanged", () => {
  const copy = { source: "a/b.ts", path: "c/d.ts", write: (text: string) => text.toUpperCase() };
  assertEquals(
    writeCopy(copy, "x\n"),
    "// Written from a/b.ts by tools/gates/copies.ts. Do not edit.\nX\n",
  );
  assertEquals(writeCopy({ ...copy, path: "c/LICENSE" }, "x\n"), "X\n");
});

Deno.test("no file is a copy of a copy or of two files", () => {
  const paths = COPIES.map(({ path }) => path);
  assertEquals(paths, [...new Set(paths)]);
  assertEquals(COPIES.filter(({ source }) => paths.includes(source)), []);
});

Deno.test("firstDifference() returns the line to look at", () => {
  assertEquals(firstDifference("a\nb\n", "a\nc\n"), 2);
  assertEquals(firstDifference("", "a\n"), 1);
  assertEquals(firstDifference("a\nb\nc\n", "a\nb\n"), 3);
});
