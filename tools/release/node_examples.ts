/**
 * Examples in documentation, for readers of the npm packages.
 *
 * @module
 */

/** Functions from `@std/assert` that `node:assert/strict` also provides. */
const NODE_NAMES: ReadonlyMap<string, string> = new Map([
  ["assert", "ok as assert"],
  ["assertEquals", "deepStrictEqual as assertEquals"],
  ["assertMatch", "match as assertMatch"],
]);

const STD_IMPORT = /import \{ ([\w, ]+) \} from "@std\/assert";/g;

/**
 * Replaces imports of `@std/assert` in examples with imports of `node:assert/strict`, because
 * `@std/assert` is not on npm. An import of a function that `node:assert/strict` does not provide
 * is not changed.
 */
export function useNodeAssert(text: string): string {
  return text.replace(STD_IMPORT, (line: string, list: string) => {
    const names = list.split(", ").map((name) => NODE_NAMES.get(name));
    if (names.includes(undefined)) return line;
    return `import { ${names.join(", ")} } from "node:assert/strict";`;
  });
}
