/**
 * Checks the npm packages under npm/ as users install them. Packs the packages and installs the
 * tarballs into an empty project. With TypeScript, type-checks a program that uses the installed
 * packages. Runs the program and the commands of the packages on the supported versions of Node.js.
 * Checks the notices of the packages that are contained in others, and the source maps.
 * Runs publint and "Are the types wrong?" on the tarballs.
 *
 *     deno task check:packages npm                 builds the packages first
 *     deno run -A tools/release/check_npm.ts       checks the packages that exist
 *
 * @module
 */

import { readFlags, run, runTool, settleAll, step, withTempDir } from "../cli.ts";
import { checkPythonDriver } from "../../conformance/drivers/python/check_python_driver.ts";
import { type Member, readPackages, ROOT } from "../members.ts";
import { checkCommands } from "./check_commands.ts";
import { checkJoined } from "./check_joined.ts";
import { checkKitPackage } from "./check_kit_package.ts";
import { checkSourceMaps } from "./check_source_maps.ts";
import { install, NODE_VERSIONS, packAll } from "./npm_packages.ts";

const TYPESCRIPT = "typescript@5.9";
const NODE_TYPES = "@types/node@22.13";
const PUBLINT = "publint@0.3.25";
const ATTW = "@arethetypeswrong/cli@0.18.5";

/** The command that the conformance package installs. */
const KIT = "node_modules/.bin/parley-kit";

/** A program that a package user might write. */
const PROGRAM = new URL("tools/release/smoke_program.ts", ROOT);

/**
 * Compiler options of typical user projects. The set `nodenext` also emits the JavaScript to run.
 */
const PROJECTS = [
  ["bundler", ["--module", "esnext", "--moduleResolution", "bundler", "--noEmit"]],
  ["nodenext", ["--module", "nodenext"]],
] as const;

/** Entry points whose types depend on Node.js types. */
const OF_NODE: ReadonlySet<string> = new Set(["@parley/mcp/node"]);

/** Entry points with a top-level `await`, which `require()` does not support. */
const AWAITING: ReadonlySet<string> = new Set([
  "@parley/conformance/cli",
  "@parley/mcp/cli",
  "@parley/runtime/init",
  "@parley/runtime/runs-cli",
]);

/**
 * A TypeScript project with only the standard library that the packages need, and with the types of
 * only one platform.
 */
interface LeanProject {
  readonly lib: readonly string[];
  readonly types: readonly string[];
  readonly module: string;
  /** The project's only file. The extension `.cts` makes the file a CommonJS module. */
  readonly file: string;
  readonly toImport: (specifier: string, index: number) => string;
}

const WEB_PROJECT: LeanProject = {
  lib: ["es2022", "dom"],
  types: [],
  module: "preserve",
  file: "web.ts",
  toImport: (specifier) => `import "${specifier}";\n`,
};

const NODE_PROJECT: LeanProject = {
  lib: ["es2022"],
  types: ["node"],
  module: "nodenext",
  file: "node.mts",
  toImport: (specifier) => `import "${specifier}";\n`,
};

const COMMON_PROJECT: LeanProject = {
  ...NODE_PROJECT,
  file: "common.cts",
  toImport: (specifier, index) =>
    `import entry${index} = require("${specifier}");\nentry${index};\n`,
};

/** Returns a program that throws if a class name differs from its export name. */
function nameEverything(members: readonly Member[]): string {
  return specifiersOf(members).map((specifier, index) =>
    `import * as entry${index} from "${specifier}";
for (const [name, value] of Object.entries(entry${index})) {
  if (String(value).startsWith("class") && value.name !== name) {
    throw new Error(\`The class \${name} of ${specifier} is called \${value.name}\`);
  }
}
`
  ).join("");
}

function specifiersOf(members: readonly Member[]): string[] {
  return members.flatMap(({ name, exports }) =>
    [...exports.keys()].map((subpath) => `${name}${subpath.slice(1)}`)
  );
}

/** Type-checks a minimal project that imports entry points, and the packages' declarations. */
async function typeCheckLean(
  project: string,
  specifiers: readonly string[],
  { lib, types, module, file, toImport }: LeanProject,
): Promise<void> {
  const config = {
    compilerOptions: { strict: true, target: "es2022", lib, types, module, skipLibCheck: false },
    files: [file],
  };
  const path = `tsconfig.${file}.json`;
  await Deno.writeTextFile(`${project}/${file}`, specifiers.map(toImport).join(""));
  await Deno.writeTextFile(`${project}/${path}`, JSON.stringify(config));
  await run("node_modules/.bin/tsc", ["--project", path], { cwd: project });
}

async function typeCheck(project: string, flags: readonly string[]): Promise<void> {
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--target", "es2022"];
  await run("node_modules/.bin/tsc", [...strict, ...flags, "main.ts"], { cwd: project });
}

/**
 * Loads every entry point with `import` and `require()` on one version of Node.js, and runs the
 * program and the package commands.
 */
async function runOnNode(project: string, version: string): Promise<void> {
  const node = ["--yes", `node@${version}`];
  await run("npx", [...node, "--no-warnings", "common.cjs"], { cwd: project });
  const { stdout } = await run("npx", [...node, "all.js"], { cwd: project });
  const binary = await run("npx", [...node, "-p", "process.execPath"], { cwd: project });
  await checkCommands(project, [binary.stdout.trim()]);
  const summary = await checkPythonDriver((args) =>
    run("npx", [...node, KIT, ...args], { cwd: project })
  );
  console.log(`${stdout.trim()}; parley-kit on Python: ${summary}`);
}

async function lint(linters: string, tarball: string): Promise<void> {
  const options = { cwd: linters };
  await run("node_modules/.bin/publint", ["run", tarball, "--strict"], options);
  await run("node_modules/.bin/attw", ["--profile", "esm-only", tarball], options);
}

/** Checks what each installed package contains, and what it declares as dependencies. */
async function checkContents(project: string, members: readonly Member[]): Promise<void> {
  for (const member of members) {
    const built = new URL(`npm/${member.folder}`, ROOT).pathname;
    await checkJoined(member, built, `${project}/node_modules/${member.name}`);
  }
}

async function check(dir: string): Promise<void> {
  const members = await readPackages();
  const [project, linters] = [`${dir}/project`, `${dir}/linters`];
  const tarballs = await step("npm pack", () => packAll(members, dir));
  await step("npm install", () => install(project, [...tarballs, TYPESCRIPT, NODE_TYPES]));
  await step("npm install of the linters", () => install(linters, [PUBLINT, ATTW]));
  await step("notices, dependencies and imports", () => checkContents(project, members));
  await Deno.copyFile(PROGRAM, `${project}/main.ts`);
  await Deno.writeTextFile(
    `${project}/all.js`,
    `${nameEverything(members)}import "./main.js";\n`,
  );
  const specifiers = specifiersOf(members);
  const ofWeb = specifiers.filter((specifier) => !OF_NODE.has(specifier));
  const ofCommon = specifiers.filter((specifier) => !AWAITING.has(specifier));
  await settleAll([
    ...PROJECTS.map(([name, flags]) => step(`tsc ${name}`, () => typeCheck(project, flags))),
    step("tsc without Node's types", () => typeCheckLean(project, ofWeb, WEB_PROJECT)),
    step("tsc without a browser's types", () => typeCheckLean(project, specifiers, NODE_PROJECT)),
    step("tsc for CommonJS", () => typeCheckLean(project, ofCommon, COMMON_PROJECT)),
    ...members.map(({ folder }, index) =>
      step(`lint ${folder}`, () => lint(linters, tarballs[index] ?? ""))
    ),
  ]);
  const oldest = ["npx", "--yes", `node@${NODE_VERSIONS[0]}`];
  await step("size and start of the kit", () => checkKitPackage(project, oldest));
  await step("source maps", () => checkSourceMaps(project, oldest));
  await settleAll(
    NODE_VERSIONS.map((version) => step(`node ${version}`, () => runOnNode(project, version))),
  );
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  await withTempDir(check);
  return 0;
}

if (import.meta.main) await runTool("check_npm", main);
