/**
 * Builds one npm package per member below npm/, with dnt.
 *
 *     deno task build:npm
 *     deno task build:npm --out DIR --repository URL     URL is the repository named in the provenance attestations
 *
 * @module
 */

import { build, emptyDir, type EntryPoint, type PackageJson } from "@deno/dnt";
import { readFlags, runTool, ToolError } from "../cli.ts";
import { type Member, readMembers, ROOT } from "../members.ts";
import { joinModules } from "./join_modules.ts";
import { useNodeAssert } from "./node_examples.ts";

/** Package fields that are not in the member's deno.json. */
interface Extras {
  readonly description: string;
  /** The commands, each with the file that implements it. */
  readonly commands?: Readonly<Record<string, string>>;
  /**
   * Packages that a command imports if they are installed, with their versions. Without this declaration, some
   * package managers do not let the command import them.
   */
  readonly drivers?: Readonly<Record<string, string>>;
  /** Whether the code imports `node:` modules, whose types the compiler then needs. */
  readonly node?: boolean;
  /** Files and folders to copy, in addition to the modules. Tests in the folders are omitted. */
  readonly files?: readonly string[];
  /** Whether to bundle the modules into a few files, because Node.js takes almost a millisecond to load each file. */
  readonly joined?: boolean;
}

interface BuildSettings {
  readonly out: string;
  /** URL of the repository for package.json. If omitted, package.json does not contain a URL. */
  readonly repository?: string | undefined;
}

const EXTRAS: ReadonlyMap<string, Extras> = new Map<string, Extras>([
  ["comm", {
    description:
      "Signed messages between agents: DIDs, Ed25519 signatures over canonical JSON, transports",
    node: true,
    joined: true,
  }],
  ["runtime", {
    description:
      "Agent runtime: a tool loop for any language model, with approvals, limits and durable runs",
    // If a package has several commands, "npx @parley/runtime" starts the command with the name of the package.
    commands: { "parley-runs": "runs_bin.ts", runtime: "init_bin.ts" },
    drivers: { "pg-boss": "^12.0.0" },
    node: true,
    joined: true,
  }],
  ["mcp", {
    description: "Model Context Protocol client, server and transports",
    commands: { "parley-mcp": "bin.ts" },
    node: true,
    joined: true,
  }],
  ["conformance", {
    description:
      "Conformance tests for agent messaging, agent runtimes and the Model Context Protocol",
    commands: { "parley-kit": "bin.ts" },
    files: ["PROTOCOL.md", "drivers/go", "drivers/python", "requirements", "schemas"],
    node: true,
  }],
]);

/** Standard library of the oldest supported runtimes. Code that uses newer features does not compile. */
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
 * - 2322 and 2345, "not assignable". dnt does not support exactOptionalPropertyTypes, and without this option
 *   `{ ...(x === undefined ? {} : { x }) }` is not assignable to a JSON object.
 * - 7016, "no declaration file for a module". Declarations of the npm packages do not refer to
 *   modules without declarations.
 */
const IGNORED_DIAGNOSTICS: ReadonlySet<number> = new Set([2322, 2345, 7016]);

async function buildMember(member: Member, { out, repository }: BuildSettings): Promise<void> {
  const extras = EXTRAS.get(member.folder);
  if (extras === undefined) {
    throw new ToolError(`"${member.folder}" is missing in EXTRAS of build_npm.ts`);
  }
  const outDir = `${out}/${member.folder}`;
  await emptyDir(outDir);
  await build({
    entryPoints: entryPoints(member, extras),
    outDir,
    shims: {},
    test: false,
    scriptModule: false,
    polyfills: false,
    skipSourceOutput: true,
    compilerOptions: { target: "ES2022", lib: [...LIB] },
    filterDiagnostic: ({ code }) => !IGNORED_DIAGNOSTICS.has(code),
    package: packageFields(member, extras, repository),
  });
  if (extras.joined) await joinMember(member, extras, outDir);
  await completeTypes(`${outDir}/esm`);
  await letRequire(`${outDir}/package.json`);
  const readme = await Deno.readTextFile(`${member.folder}/README.md`);
  await Deno.writeTextFile(`${outDir}/README.md`, useNodeAssert(readme));
  await Deno.copyFile(`${member.folder}/LICENSE`, `${outDir}/LICENSE`);
  for (const name of extras.files ?? []) {
    await copyFiles(`${member.folder}/${name}`, `${outDir}/${name}`);
  }
  await addStdNotice(outDir);
}

/** Copies a file or a folder, except TypeScript modules and compiled Python modules. */
async function copyFiles(from: string, to: string): Promise<void> {
  if (!(await Deno.stat(from)).isDirectory) return await Deno.copyFile(from, to);
  await Deno.mkdir(to, { recursive: true });
  for await (const { name } of Deno.readDir(from)) {
    if (name.endsWith(".ts") || name === "__pycache__") continue;
    await copyFiles(`${from}/${name}`, `${to}/${name}`);
  }
}

async function joinMember(
  { exports }: Member,
  { commands = {} }: Extras,
  outDir: string,
): Promise<void> {
  const entries = [...exports.values(), ...Object.values(commands)];
  const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(
    await Deno.readTextFile(`${outDir}/package.json`),
  );
  await joinModules(outDir, {
    entries: entries.map((file) => file.replace(/^\.\//, "").replace(/\.ts$/, ".js")),
    packages: Object.keys(dependencies),
  });
}

/** Names used in declarations but missing in some projects, each with the lines that declare it. */
const NOT_EVERYWHERE: readonly (readonly [RegExp, string])[] = [
  // TypeScript projects for browsers do not declare the names for `await using` by default.
  [/\b(asyncDispose|AsyncDisposable)\b/, `/// <reference lib="esnext.disposable" />\n`],
  // Node.js has these classes, but its types do not declare them globally.
  [
    /\bCryptoKey(Pair)?\b/,
    `type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
type CryptoKeyPair = { publicKey: CryptoKey; privateKey: CryptoKey };
`,
  ],
];

/**
 * Completes declarations so that they are valid both in projects with only browser types and in projects with only
 * Node.js types, and adapts their examples to Node.js.
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

/** Lets CommonJS modules load the package with `require()`, because dnt declares exports only for `import`. */
async function letRequire(path: string): Promise<void> {
  const manifest: { exports: Record<string, string | Record<string, string>> } = JSON.parse(
    await Deno.readTextFile(path),
  );
  const exports = Object.entries(manifest.exports).map(([name, target]) => {
    if (typeof target === "string") return [name, target];
    const { import: file, ...rest } = target;
    return [name, file === undefined ? rest : { ...rest, default: file }];
  });
  const opened = { ...manifest, exports: Object.fromEntries(exports) };
  await Deno.writeTextFile(path, `${JSON.stringify(opened, null, 2)}\n`);
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

function packageFields(
  { name, version, folder }: Member,
  { description, drivers, node = false }: Extras,
  repository: string | undefined,
): PackageJson {
  return {
    name,
    version,
    description,
    license: "MIT",
    ...(repository === undefined
      ? {}
      : { repository: { type: "git", url: `git+${repository}.git`, directory: folder } }),
    type: "module",
    sideEffects: false,
    engines: { node: ">=22.13" },
    exports: { "./package.json": "./package.json" },
    ...(drivers === undefined ? {} : {
      peerDependencies: drivers,
      peerDependenciesMeta: Object.fromEntries(
        Object.keys(drivers).map((name) => [name, { optional: true }]),
      ),
    }),
    ...(node ? { devDependencies: { "@types/node": "~22.13.0" } } : {}),
  };
}

/**
 * Adds the @std license, because code was copied from @std. The license of @std has the same text as ours, but names
 * other authors.
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
  for (const member of await readMembers()) {
    try {
      await buildMember(member, { out, repository });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ToolError(`Cannot build ${member.folder}: ${reason}`, { cause: error });
    }
    console.log(`built ${out}/${member.folder}`);
  }
  return 0;
}

if (import.meta.main) await runTool("build_npm", main);
