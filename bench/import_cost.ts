/**
 * Measures the processor time of imports in new processes of Node.js.
 *
 * @module
 */

import { runtimeCommand } from "../tools/runtimes/runtimes.ts";

/** Number of processes per import. */
const ROUNDS = 31;

/** The oldest supported version of Node.js. The Node.js on PATH can be older. */
const NODE = "node@22";

/** A module to import. */
export interface Import {
  readonly name: string;
  /** URL of the module. */
  readonly url: string;
  /** URL of a module that is imported first and is not measured. */
  readonly after?: string;
}

/** Returns the path to the measured version of Node.js, which npm downloads if it is missing. */
export async function findNode(): Promise<string> {
  const [node = ""] = await runtimeCommand({ name: "node", npm: NODE });
  return node;
}

/**
 * Measures imports, which take turns. Returns the processor time of all threads in milliseconds,
 * keyed by name: the minimum of all processes, minus the minimum of importing an empty module.
 */
export async function importCosts(
  imports: readonly Import[],
): Promise<ReadonlyMap<string, number>> {
  const empty = await Deno.makeTempFile({ suffix: ".mjs" });
  try {
    return await measure(imports, new URL(`file://${empty}`).href, await findNode());
  } finally {
    await Deno.remove(empty);
  }
}

async function measure(
  imports: readonly Import[],
  empty: string,
  node: string,
): Promise<ReadonlyMap<string, number>> {
  const costs = new Map<string, number>();
  let floor = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    floor = Math.min(floor, await timeImport({ name: "empty", url: empty }, node));
    for (const each of imports) {
      const ms = await timeImport(each, node);
      costs.set(each.name, Math.min(ms, costs.get(each.name) ?? Infinity));
    }
  }
  return new Map(imports.map(({ name }) => [name, (costs.get(name) ?? NaN) - floor]));
}

async function timeImport({ url, after }: Import, node: string): Promise<number> {
  const first = after === undefined ? "" : `await import(${JSON.stringify(after)});`;
  const code = `${first} const before = process.cpuUsage(); await import(${JSON.stringify(url)});
    const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
  const { stdout, success, stderr } = await new Deno.Command(node, {
    args: ["--input-type=module", "--eval", code],
    cwd: new URL("../", import.meta.url),
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`Cannot import ${url}: ${new TextDecoder().decode(stderr)}`);
  return Number(new TextDecoder().decode(stdout));
}
