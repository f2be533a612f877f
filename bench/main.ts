/**
 * Compares one of this repository's packages with other libraries.
 *
 *     deno task bench comm
 *     deno task bench mcp --node
 *     deno task bench comm --json bench/results/comm.json
 *
 * Each benchmark is a program that uses the import map in `bench/`. Programs that run on Node.js
 * are bundled first.
 *
 * @module
 */

import { cpus, totalmem } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { findNode } from "./import_cost.ts";
import { REPORT_FILE } from "./report.ts";

/** Programs and requirements of a benchmark. */
interface Bench {
  /**
   * Names, without `.ts`, of the programs that the benchmark starts as separate processes on
   * Node.js.
   */
  readonly children: readonly string[];
  /** Whether the benchmark can run on Node.js. */
  readonly hasNode: boolean;
  /** Whether the benchmark uses the npm packages built from this repository, on Node.js. */
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
  ["runtime", { children: [], hasNode: false, needsNpmPackages: false }],
  ["start", { children: [], hasNode: false, needsNpmPackages: true }],
]);

const USAGE = `Usage: deno task bench NAME [--node] [--json FILE]

  NAME          one of ${[...BENCHES.keys()].join(", ")}
  --node        run on Node.js 22 instead of Deno (comm, mcp)
  --json FILE   write the results, the machine and the versions of all packages to FILE`;

const FOLDER = new URL("./", import.meta.url);
const V8_FLAGS = "--expose-gc";
/** Name of the environment variable that contains the path to Node.js. */
const NODE_PATH = "PARLEY_BENCH_NODE";

async function run(command: string, ...args: readonly string[]): Promise<number> {
  const child = new Deno.Command(command, { args: [...args], cwd: FOLDER }).spawn();
  return (await child.status).code;
}

async function runOnDeno(name: string, children: readonly string[]): Promise<number> {
  const failure = children.length === 0 ? 0 : await bundle(name, children);
  if (failure !== 0) return failure;
  const flags = ["--allow-all", "--quiet", "--frozen", `--v8-flags=${V8_FLAGS}`];
  return await run("deno", "run", ...flags, "--config=deno.json", `${name}/bench.ts`);
}

async function runOnNode(name: string, children: readonly string[]): Promise<number> {
  return await bundle(name, ["bench", ...children]) ||
    await run(await findNode(), V8_FLAGS, `${outputFolder(name)}/bench.js`);
}

/** Bundles programs of a benchmark for Node.js. Returns the exit code. */
async function bundle(name: string, programs: readonly string[]): Promise<number> {
  const output = await createOutputFolder(name);
  const config = ["--quiet", "--config=deno.json"];
  const paths = programs.map((program) => `${name}/${program}.ts`);
  // A package that is imported with a computed specifier is not part of the bundle, so
  // `deno install` installs it.
  return await run("deno", "install", ...config) ||
    await run("deno", "bundle", ...config, "--code-splitting", `--outdir=${output}`, ...paths);
}

/**
 * Creates an empty folder in `node_modules`, which Git ignores. Programs in this folder can import
 * the installed packages.
 */
async function createOutputFolder(name: string): Promise<string> {
  const path = outputFolder(name);
  const output = new URL(`${path}/`, FOLDER);
  await Deno.remove(output, { recursive: true }).catch(() => {});
  await Deno.mkdir(output, { recursive: true });
  await Deno.writeTextFile(new URL("package.json", output), '{ "type": "module" }\n');
  return path;
}

function outputFolder(name: string): string {
  return `node_modules/.bench/${name}`;
}

interface BenchArguments {
  readonly name: string;
  readonly isNode: boolean;
  /** Path to the results file. */
  readonly json: string | undefined;
}

function readArguments(args: readonly string[]): BenchArguments | undefined {
  try {
    const { values: { node = false, json }, positionals: [name = "", ...rest] } = parseArgs({
      args: [...args],
      options: { node: { type: "boolean" }, json: { type: "string" } },
      allowPositionals: true,
    });
    return rest.length === 0 ? { name, isNode: node, json } : undefined;
  } catch {
    return undefined; // If an option is unknown, the caller prints the usage text.
  }
}

async function main(args: readonly string[]): Promise<number> {
  const { name = "", isNode = false, json } = readArguments(args) ?? {};
  const bench = BENCHES.get(name);
  if (bench === undefined || (isNode && !bench.hasNode)) {
    console.error(USAGE);
    return 2;
  }
  const failure = bench.needsNpmPackages
    ? await run("deno", "task", "--quiet", "--config=../deno.json", "build:npm")
    : 0;
  if (failure !== 0) return failure;
  const file = json === undefined ? undefined : resolve(json);
  if (file !== undefined) {
    await Deno.writeTextFile(file, "");
    Deno.env.set(REPORT_FILE, file);
  }
  if (bench.children.length > 0) Deno.env.set(NODE_PATH, await findNode());
  const code = isNode
    ? await runOnNode(name, bench.children)
    : await runOnDeno(name, bench.children);
  const usesNode = isNode || bench.children.length > 0 || bench.needsNpmPackages;
  if (file !== undefined) {
    const deno = isNode ? [] : [`Deno ${Deno.version.deno}`];
    const node = usesNode ? [`Node.js ${await versionOfNode()}`] : [];
    await addMachine(file, name, [...deno, ...node].join(" and "));
  }
  return code;
}

/** Adds the date, the machine and the versions of the packages to a report. */
async function addMachine(file: string, name: string, runtime: string): Promise<void> {
  const report: object = JSON.parse(await Deno.readTextFile(file));
  const result = {
    name,
    date: new Date().toISOString().slice(0, 10),
    machine: {
      processor: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      system: `${Deno.build.os} ${Deno.build.arch}`,
      runtime,
    },
    versions: await readVersions(),
    ...report,
  };
  await Deno.writeTextFile(file, `${JSON.stringify(result, null, 2)}\n`);
}

async function versionOfNode(): Promise<string> {
  const { stdout } = await new Deno.Command(await findNode(), { args: ["--version"] }).output();
  return new TextDecoder().decode(stdout).trim().replace(/^v/, "");
}

/** Returns the locked version of each npm package in the import map. */
async function readVersions(): Promise<Record<string, string>> {
  const { specifiers }: { readonly specifiers: Readonly<Record<string, string>> } = JSON.parse(
    await Deno.readTextFile(new URL("deno.lock", FOLDER)),
  );
  return Object.fromEntries(
    Object.entries(specifiers).flatMap(([specifier, version]) => {
      const [, name] = /^npm:(@?[^@]+)@/.exec(specifier) ?? [];
      return name === undefined ? [] : [[name, version.replace(/_.*$/, "")]];
    }),
  );
}

Deno.exit(await main(Deno.args));
