/**
 * Builds one npm package per member under npm/, with dnt.
 *
 *     deno task build:npm
 *     deno task build:npm --out DIR --repository URL     URL is the repository named in the provenance attestations
 *
 * @module
 */

import { build, emptyDir, type EntryPoint } from "@deno/dnt";
import { readFlags, runTool, ToolError } from "../cli.ts";
import { INTERNAL, type Member, readMembers, ROOT } from "../members.ts";
import { joinModules } from "./join_modules.ts";
import { formatNotice, installLocked, NOTICE_FILE, readJoinedPackages } from "./joined_packages.ts";
import { completeManifest, type Extras, extrasOf, packageFields } from "./manifest.ts";
import { useNodeAssert } from "./node_examples.ts";
import { emptyCases, minifyJsonModules, packCases } from "./pack_cases.ts";
import { pruneDeclarations } from "./prune_declarations.ts";
import { stageModules } from "./stage_modules.ts";

interface BuildSettings {
  readonly out: string;
  /** Member that contains the shared code. */
  readonly shared: Member;
  /** URL of the repository for package.json. If omitted, package.json does not contain a URL. */
  readonly repository?: string | undefined;
}

/**
 * Standard library of the oldest supported runtimes. Code that uses newer features does not
 * compile.
 */
const LIB = [
  "ES2022",
  "DOM",
  "ES2023.Array",
  "ES2024.Promise",
  "ESNext.Disposable",
  "ESNext.String",
] as const;

/**
 * Diagnostic codes that are ignored here because `deno check` reports the same mistakes:
 *
 * - 2322 and 2345, "not assignable". dnt does not support exactOptionalPropertyTypes, and without
 *   this option `{ ...(x === undefined ? {} : { x }) }` is not assignable to a JSON object.
 * - 7016, "no declaration file for a module". Declarations of the npm packages do not refer to
 *   modules without declarations.
 */
const IGNORED_DIAGNOSTICS: ReadonlySet<number> = new Set([2322, 2345, 7016]);

async function buildMember(
  member: Member,
  { out, shared, repository }: BuildSettings,
): Promise<void> {
  const extras = extrasOf(member);
  const outDir = `${out}/${member.folder}`;
  await emptyDir(outDir);
  const staged = `${out}/staged`;
  await emptyDir(staged);
  await stageModules(member, shared, staged);
  if (extras.cases) await emptyCases(staged);
  await build({
    entryPoints: entryPoints({ ...member, folder: staged }, extras),
    outDir,
    shims: {},
    test: false,
    scriptModule: false,
    polyfills: false,
    skipSourceOutput: true,
    compilerOptions: { target: "ES2022", lib: [...LIB] },
    filterDiagnostic: ({ code }) => !IGNORED_DIAGNOSTICS.has(code),
    package: packageFields(member, repository),
  });
  const joined = extras.joined ? await joinMember(member, extras, outDir) : [];
  if (extras.cases) {
    await packCases(`${outDir}/esm`, member.folder);
    await minifyJsonModules(`${outDir}/esm`);
  }
  await pruneDeclarations(
    `${outDir}/esm`,
    [...member.exports.values()].map((file) => file.replace(/\.ts$/, ".d.ts")),
  );
  await completeTypes(`${outDir}/esm`);
  const manifest = JSON.parse(await Deno.readTextFile(`${outDir}/package.json`));
  const completed = JSON.stringify(completeManifest(manifest, joined), null, 2);
  await Deno.writeTextFile(`${outDir}/package.json`, `${completed}\n`);
  const readme = await Deno.readTextFile(`${member.folder}/README.md`);
  await Deno.writeTextFile(`${outDir}/README.md`, useNodeAssert(readme));
  await Deno.copyFile(`${member.folder}/LICENSE`, `${outDir}/LICENSE`);
  for (const name of extras.files ?? []) {
    await copyFiles(`${member.folder}/${name}`, `${outDir}/${name}`);
  }
  await addStdNotice(outDir);
}

/** Names of files and folders that only the repository contains. */
const NOT_PUBLISHED: ReadonlySet<string> = new Set(["__pycache__", "draft.json"]);

/**
 * Copies a file or a folder, except TypeScript modules, compiled Python modules and the draft set
 * of the kit.
 */
async function copyFiles(from: string, to: string): Promise<void> {
  if (!(await Deno.stat(from)).isDirectory) return await Deno.copyFile(from, to);
  await Deno.mkdir(to, { recursive: true });
  for await (const { name } of Deno.readDir(from)) {
    if (name.endsWith(".ts") || NOT_PUBLISHED.has(name)) continue;
    await copyFiles(`${from}/${name}`, `${to}/${name}`);
  }
}

/** Joins the modules of a package, and returns the names of the packages that they contain. */
async function joinMember(
  { exports }: Member,
  { commands = {}, separate = [] }: Extras,
  outDir: string,
): Promise<readonly string[]> {
  const entries = [...exports.values(), ...Object.values(commands)];
  const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(
    await Deno.readTextFile(`${outDir}/package.json`),
  );
  await installLocked(
    outDir,
    Object.keys(dependencies).filter((name) => !separate.includes(name)),
  );
  await joinModules(outDir, {
    entries: entries.map((file) => file.replace(/^\.\//, "").replace(/\.ts$/, ".js")),
    separate,
  });
  const packages = await readJoinedPackages(outDir);
  await Deno.writeTextFile(`${outDir}/${NOTICE_FILE}`, formatNotice(packages));
  return packages.map(({ name }) => name);
}

/** Names used in declarations but missing in some projects, each with the lines that declare it. */
const NOT_EVERYWHERE: readonly (readonly [RegExp, string])[] = [
  // TypeScript projects for browsers do not declare the names for `await using` by default.
  [/\b(asyncDispose|AsyncDisposable)\b/, `/// <reference lib="esnext.disposable" />\n`],
  // Node.js has the following classes, but its types do not declare them globally.
  [
    /\bCryptoKey(Pair)?\b/,
    `type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
type CryptoKeyPair = { publicKey: CryptoKey; privateKey: CryptoKey };
`,
  ],
];

/**
 * Completes declarations so that they are valid both in projects with only browser types and in
 * projects with only Node.js types, and adapts their examples to Node.js.
 */
async function completeTypes(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) await completeTypes(path);
    if (!name.endsWith(".d.ts")) continue;
    const text = await Deno.readTextFile(path);
    const lines = NOT_EVERYWHERE.flatMap(([word, line]) => word.test(text) ? [line] : []);
    await Deno.writeTextFile(path, lines.join("") + useNodeAssert(text));
  }
}

function entryPoints({ folder, exports }: Member, { commands = {} }: Extras): EntryPoint[] {
  return [
    ...[...exports].map(([name, file]): EntryPoint => ({ name, path: `${folder}/${file}` })),
    ...Object.entries(commands).map(([name, file]): EntryPoint => ({
      kind: "bin",
      name,
      path: `${folder}/${file}`,
    })),
  ];
}

/**
 * Adds the @std license, because code was copied from @std. The license of @std has the same text
 * as ours, but names other authors.
 */
async function addStdNotice(outDir: string): Promise<void> {
  if (!await exists(`${outDir}/esm/deps`)) return;
  const notice = (await Deno.readTextFile(`${outDir}/LICENSE`))
    .replace(/^Copyright.*$/m, "Copyright 2018-2026 the Deno authors");
  await Deno.writeTextFile(`${outDir}/esm/deps/LICENSE`, notice);
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function main(): Promise<number> {
  const flags = { out: { type: "string" }, repository: { type: "string" } } as const;
  const { out = "npm", repository } = readFlags(Deno.args, flags);
  Deno.chdir(ROOT);
  const members = await readMembers();
  const shared = members.find(({ folder }) => folder === INTERNAL);
  if (shared === undefined) throw new ToolError(`Cannot find the member "${INTERNAL}"`);
  for (const member of members) {
    if (member === shared) continue;
    try {
      await buildMember(member, { out, shared, repository });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ToolError(`Cannot build ${member.folder}: ${reason}`, { cause: error });
    }
    console.log(`built ${out}/${member.folder}`);
  }
  await Deno.remove(`${out}/staged`, { recursive: true });
  return 0;
}

if (import.meta.main) await runTool("build_npm", main);
