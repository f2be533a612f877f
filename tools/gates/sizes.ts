/**
 * Measures entry points as a page loads them: bundled into one file by esbuild (`deno bundle`),
 * minified and compressed with gzip. Code loaded with `import()` is included unless it is listed as
 * external. The limits are in sizes.json, in kilobytes of 1000 bytes.
 *
 *     deno task sizes
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { readFlags, run, runTool, ToolError, withTempDir } from "../cli.ts";
import { type Member, readPackages, ROOT } from "../members.ts";
import { splitSource } from "./lexer.ts";
import { findJsonLine, formatPlace } from "./places.ts";
import bars from "./sizes.json" with { type: "json" };

/** The size limit for one bundle. */
export interface SizeBar {
  readonly name: string;
  /** Package and subpath, such as `@parley/mcp/client`. */
  readonly entry: string;
  /** Exports that the bundle includes. If omitted, all exports are included. */
  readonly exports?: readonly string[];
  /**
   * Modules that are not included in the size: patterns for modules that may be loaded with
   * `import()`, and full names of modules that may be imported statically.
   */
  readonly external?: readonly string[];
  readonly maxKb: number;
  /** Temporarily allowed size of a bundle that exceeds `maxKb`. */
  readonly ratchetKb?: number;
}

/** Result of {@linkcode compareToBar}. */
export interface SizeVerdict {
  readonly isAllowed: boolean;
  /**
   * The violated limit, the change to make in sizes.json, or an empty string if no change is
   * needed.
   */
  readonly advice: string;
}

/**
 * Growth that is tolerated before the ratchet fails, because removing code can make the compressed
 * size larger.
 */
const TOLERANCE_KB = 0.05;

/** Compares a size with its limit and its ratchet. */
export function compareToBar(
  { maxKb, ratchetKb }: Pick<SizeBar, "maxKb" | "ratchetKb">,
  kb: number,
): SizeVerdict {
  const rounded = kb.toFixed(2);
  if (kb <= maxKb) {
    const advice = ratchetKb === undefined ? "" : `remove "ratchetKb" from sizes.json`;
    return { isAllowed: true, advice };
  }
  if (ratchetKb === undefined) {
    return { isAllowed: false, advice: `must be at most ${maxKb} KB, got ${rounded}` };
  }
  if (kb > ratchetKb + TOLERANCE_KB) {
    return { isAllowed: false, advice: `must be at most ${ratchetKb} KB, got ${rounded}` };
  }
  const isLower = kb < ratchetKb - TOLERANCE_KB;
  return { isAllowed: true, advice: isLower ? `lower "ratchetKb" to ${rounded}` : "" };
}

/**
 * Returns the forbidden imports in a bundle: imports of modules that are not external. The external
 * modules of a static import must be listed by their full names.
 */
export function findImports(bundle: string, external: readonly string[] = []): string[] {
  const patterns = external.map((pattern) => pattern.replaceAll("*", ""));
  return splitSource(bundle).flatMap(({ kind, text, start }) => {
    if (kind !== "string") return [];
    const before = bundle.slice(Math.max(0, start - 2000), start);
    if (/\bimport\(\s*$/.test(before)) {
      return patterns.some((pattern) => text.includes(pattern)) ? [] : [`import("${text}")`];
    }
    const isStatic = /(?:^|[;\n}])\s*(?:import|export)\s*(?:[\w$*{][^;"']*from\s*)?$/.test(before);
    return isStatic && !external.includes(text) ? [`import "${text}"`] : [];
  });
}

async function measure(bar: SizeBar, members: readonly Member[]): Promise<[number, string[]]> {
  const names = bar.exports === undefined ? "*" : `{ ${bar.exports.join(", ")} }`;
  return await withTempDir(async (dir) => {
    await Deno.writeTextFile(
      `${dir}/entry.ts`,
      `export ${names} from "${findEntry(bar.entry, members)}";\n`,
    );
    await run("deno", [
      "bundle",
      "--quiet",
      "--minify",
      "--platform=browser",
      ...(bar.external ?? []).map((pattern) => `--external=${pattern}`),
      `--output=${dir}/out.js`,
      `${dir}/entry.ts`,
    ], { cwd: ROOT });
    const bundle = await Deno.readTextFile(`${dir}/out.js`);
    const bytes = gzipSync(bundle, { level: 9 }).length;
    return [bytes / 1000, findImports(bundle, bar.external)];
  });
}

function findEntry(specifier: string, members: readonly Member[]): URL {
  for (const { name, folder, exports } of members) {
    for (const [subpath, file] of exports) {
      if (name + subpath.slice(1) === specifier) return new URL(`${folder}/${file}`, ROOT);
    }
  }
  throw new ToolError(`Cannot find the entry point "${specifier}", which sizes.json lists`);
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const members = await readPackages();
  const all: readonly SizeBar[] = bars;
  const text = await Deno.readTextFile(new URL("sizes.json", import.meta.url));
  let errors = 0;
  for (const bar of all) {
    // Entry points are bundled one at a time, because parallel first runs of "deno bundle" would
    // install the same esbuild binary.
    const [kb, imports] = await measure(bar, members);
    const { isAllowed, advice } = compareToBar(bar, kb);
    const place = formatPlace("tools/gates/sizes.json", findJsonLine(text, [bar.name]));
    if (!isAllowed || imports.length > 0) errors++;
    if (!isAllowed) console.error(`${place} ${bar.name} (${bar.entry}) ${advice}`);
    const ratchet = bar.ratchetKb === undefined ? "" : `, allowed ${bar.ratchetKb}`;
    console.log(
      `${bar.name.padEnd(28)} ${kb.toFixed(2).padStart(6)} KB, bar ${bar.maxKb}${ratchet}` +
        (advice === "" ? "" : `: ${advice}`),
    );
    for (const each of imports) {
      console.error(
        `${place} ${bar.name}: the bundle contains ${each}; include it, or list it in "external"`,
      );
    }
  }
  console.log(`sizes: ${all.length} bundles, ${errors} errors (min+gzip, 1 KB = 1000 bytes)`);
  return errors === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("sizes", main);
