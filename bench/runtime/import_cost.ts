/**
 * Measures the time to import `@parley/runtime`: the npm package on Node.js and the source modules
 * on Deno.
 *
 * @module
 */

import { ROOT } from "../../tools/members.ts";
import { median } from "../measure.ts";

/** Number of processes per module: an odd number, so that the median is a measured value. */
const ROUNDS = 15;

/** Command-line arguments for evaluating code, and the file to import, keyed by runtime. */
const RUNTIMES = {
  node: { args: ["--input-type=module", "--eval"], file: "npm/runtime/esm/mod.js" },
  deno: { args: ["eval", "--quiet"], file: "runtime/mod.ts" },
} as const;

/** Import time by runtime, in milliseconds. */
export type ImportCost = { readonly [Name in keyof typeof RUNTIMES]: number };

/**
 * Measures imports in new processes. Returns the median import time minus the median import time of
 * an empty module.
 */
export async function importCost(): Promise<ImportCost> {
  const empty = await Deno.makeTempFile({ suffix: ".mjs" });
  try {
    return { node: await costOn("node", empty), deno: await costOn("deno", empty) };
  } finally {
    await Deno.remove(empty);
  }
}

async function costOn(name: keyof typeof RUNTIMES, empty: string): Promise<number> {
  const { args, file } = RUNTIMES[name];
  const [full, nothing]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    full.push(await timeImport(name, args, new URL(file, ROOT).href));
    nothing.push(await timeImport(name, args, new URL(`file://${empty}`).href));
  }
  return median(full) - median(nothing);
}

async function timeImport(command: string, args: readonly string[], url: string): Promise<number> {
  const code = `const begun = performance.now(); await import(${JSON.stringify(url)});
    console.log(performance.now() - begun);`;
  const { stdout, success, stderr } = await new Deno.Command(command, {
    args: [...args, code],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`Cannot import ${url}: ${new TextDecoder().decode(stderr)}`);
  return Number(new TextDecoder().decode(stdout));
}
