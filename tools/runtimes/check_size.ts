/**
 * How much of each package a page loads, against what we promise: the entry point and what it imports statically,
 * minified and compressed. What waits behind `import()` is shown beside it. No entry point of these may reach a module
 * of Node's.
 *
 *     deno task check:size
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { readFlags, runTool } from "../cli.ts";
import { type Bundle, bundleText, endBundling } from "./bundle.ts";

/** What we promise of an entry point. */
interface Promised {
  readonly specifier: string;
  /** The most it may weigh, in bytes. */
  readonly maxBytes?: number;
  /** Whether what waits behind `import()` counts as well. */
  readonly isWhole?: boolean;
}

const KB = 1000;

const PROMISED: readonly Promised[] = [
  // With the JavaScript Ed25519 that only platforms without a native one load.
  { specifier: "@parley/comm", maxBytes: 12 * KB, isWhole: true },
  { specifier: "@parley/comm/canonical-json", maxBytes: 1.5 * KB },
  { specifier: "@parley/runtime", maxBytes: 10 * KB },
  { specifier: "@parley/mcp" },
  { specifier: "@parley/mcp/client", maxBytes: 14 * KB },
  { specifier: "@parley/mcp/server", maxBytes: 14 * KB },
  { specifier: "@parley/mcp/auth", maxBytes: 20 * KB, isWhole: true },
];

/** How many of an entry's files are named when it is too large. */
const HEAVIEST = 15;

/** What a bundle weighs. */
export interface Measured {
  /** Compressed bytes of the entry and its static imports. */
  readonly staticBytes: number;
  /** Compressed bytes of everything. */
  readonly wholeBytes: number;
  /** Modules of Node's that are reached from anywhere in it. */
  readonly builtins: readonly string[];
}

async function check(promised: Promised): Promise<boolean> {
  const { specifier, maxBytes = Infinity, isWhole = false } = promised;
  const bundle = await bundleText(`export * from "${specifier}";\n`);
  const { staticBytes, wholeBytes, builtins } = measure(bundle);
  const bytes = isWhole ? wholeBytes : staticBytes;
  const isGood = bytes <= maxBytes && builtins.length === 0;
  console.log(
    [
      specifier.padEnd(28),
      formatKb(staticBytes),
      formatKb(wholeBytes),
      maxBytes === Infinity ? "        -" : formatKb(maxBytes),
      isWhole ? "whole " : "static",
      isGood ? "ok" : "MISSED",
    ].join("  "),
  );
  if (builtins.length > 0) console.log(`  reaches ${builtins.join(", ")}`);
  if (bytes > maxBytes) describe(bundle, isWhole);
  return isGood;
}

/** Weighs a bundle. */
export function measure({ entry, files, outputs }: Bundle): Measured {
  const sizeOf = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipped(files.get(name)), 0);
  const imports = [...outputs.values()].flatMap((output) => output.imports);
  return {
    staticBytes: sizeOf(staticFiles(outputs, entry)),
    wholeBytes: sizeOf(files.keys()),
    builtins: [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))],
  };
}

function gzipped(file: Uint8Array = new Uint8Array()): number {
  return gzipSync(file, { level: 9 }).length;
}

/** The entry and whatever is loaded before it can run. */
function staticFiles(outputs: Bundle["outputs"], entry: string): Set<string> {
  const found = new Set([entry]);
  // A set that grows is walked to its end.
  for (const name of found) {
    for (const { kind, path, external } of outputs.get(name)?.imports ?? []) {
      if (kind === "import-statement" && !external) found.add(path.replace(/^out\//, ""));
    }
  }
  return found;
}

/** Says which source files weigh most, in minified bytes before compression. */
function describe({ entry, outputs }: Bundle, isWhole: boolean): void {
  const names = isWhole ? outputs.keys() : staticFiles(outputs, entry);
  const inputs = [...names].flatMap((name) => Object.entries(outputs.get(name)?.inputs ?? {}))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const heaviest = inputs.sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
  for (const [path, { bytesInOutput }] of heaviest.slice(0, HEAVIEST)) {
    console.log(`  ${String(bytesInOutput).padStart(7)} B  ${path.replace(/^.*\bnpm\//, "")}`);
  }
}

function formatKb(bytes: number): string {
  return `${(bytes / KB).toFixed(2).padStart(6)} KB`;
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  console.log(
    `${
      "entry point".padEnd(28)
    }     static      whole        bar  of what  (min+gzip, 1 KB = ${KB} B)`,
  );
  try {
    const verdicts: boolean[] = [];
    for (const promised of PROMISED) verdicts.push(await check(promised));
    return verdicts.every((isGood) => isGood) ? 0 : 1;
  } finally {
    await endBundling();
  }
}

if (import.meta.main) await runTool("check_size", main);
