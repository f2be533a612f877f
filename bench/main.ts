/**
 * Compares one of this repository's packages with other libraries.
 *
 *     deno task bench comm
 *     deno task bench mcp --node
 *
 * Each benchmark is a program that uses the import map in `bench/`. With `--node`, the program is bundled first.
 *
 * @module
 */

import { parseArgs } from "node:util";

/** Programs and requirements of a benchmark. */
interface Bench {
  /** Programs that the benchmark starts as separate processes, without `.ts`. */
  readonly children: readonly string[];
  /** Whether the benchmark can run on Node.js. */
  readonly hasNode: boolean;
  /** Whether the benchmark uses the npm packages built from this repository. */
  readonly needsNpmPackages: boolean;
}

const BENCHES: ReadonlyMap<string, Bench> = new Map([
  ["comm", { children: [], hasNode: true, needsNpmPackages: false }],
  ["mcp", {
    children: ["child", "stdio_server", "stdio_floor"],
    hasNode: true,
    needsNpmPackages: false,
  }],
  ["engines", { children: [], hasNode: false, needsNpmPackages: false }],
  ["runtime", { children: [], hasNode: false, needsNpmPackages: true }],
]);

const USAGE = `Usage: deno task bench NAME [--node]

  NAME     one of ${[...BENCHES.keys()].join(", ")}
  --node   run on the Node.js on PATH instead of Deno (comm, mcp)`;

const FOLDER = new URL("./", import.meta.url);
const V8_FLAGS = "--expose-gc";

async function run(command: string, ...args: readonly string[]): Promise<number> {
  const child = new Deno.Command(command, { args: [...args], cwd: FOLDER }).spawn();
  return (await child.status).code;
}

async function runOnDeno(name: string): Promise<number> {
  const flags = ["--allow-all", "--quiet", "--frozen", `--v8-flags=${V8_FLAGS}`];
  return await run("deno", "run", ...flags, "--config=deno.json", `${name}/bench.ts`);
}

async function runOnNode(name: string, children: readonly string[]): Promise<number> {
  const output = await createOutputFolder(name);
  const config = ["--quiet", "--config=deno.json"];
  const programs = ["bench", ...children].map((program) => `${name}/${program}.ts`);
  // A package that is imported with a computed specifier is not part of the bundle, so `deno install` installs it.
  return await run("deno", "install", ...config) ||
    await run("deno", "bundle", ...config, "--code-splitting", `--outdir=${output}`, ...programs) ||
    await run("node", V8_FLAGS, `${output}/bench.js`);
}

/**
 * Creates an empty folder in `node_modules`, which Git ignores. Programs in this folder can import the installed
 * packages.
 */
async function createOutputFolder(name: string): Promise<string> {
  const path = `node_modules/.bench/${name}`;
  const output = new URL(`${path}/`, FOLDER);
  await Deno.remove(output, { recursive: true }).catch(() => {});
  await Deno.mkdir(output, { recursive: true });
  await Deno.writeTextFile(new URL("package.json", output), '{ "type": "module" }\n');
  return path;
}

function readArguments(args: readonly string[]): { name: string; isNode: boolean } | undefined {
  try {
    const { values: { node = false }, positionals: [name = "", ...rest] } = parseArgs({
      args: [...args],
      options: { node: { type: "boolean" } },
      allowPositionals: true,
    });
    return rest.length === 0 ? { name, isNode: node } : undefined;
  } catch {
    return undefined; // If an option is unknown, the caller prints the usage text.
  }
}

async function main(args: readonly string[]): Promise<number> {
  const { name = "", isNode = false } = readArguments(args) ?? {};
  const bench = BENCHES.get(name);
  if (bench === undefined || (isNode && !bench.hasNode)) {
    console.error(USAGE);
    return 2;
  }
  const failure = bench.needsNpmPackages
    ? await run("deno", "task", "--quiet", "--config=../deno.json", "build:npm")
    : 0;
  if (failure !== 0) return failure;
  return isNode ? await runOnNode(name, bench.children) : await runOnDeno(name);
}

Deno.exit(await main(Deno.args));
