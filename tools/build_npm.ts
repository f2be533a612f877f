/**
 * Builds one npm package per member below npm/, with dnt.
 *
 *     deno task build:npm
 *     deno task build:npm --out DIR
 *
 * @module
 */

import { build, emptyDir } from "@deno/dnt";
import { readFlags, runTool, ToolError } from "./cli.ts";
import { type Member, readMembers, ROOT } from "./members.ts";

/** What a package has beyond its deno.json. */
interface Extras {
  readonly description: string;
  /** Its command and the module behind it. */
  readonly bin?: readonly [command: string, file: string];
  /** Whether its code imports `node:` modules, whose types the compiler then needs. */
  readonly node?: boolean;
}

const EXTRAS: ReadonlyMap<string, Extras> = new Map([
  ["comm", { description: "Signed messages between agents: DIDs, transports, negotiation" }],
  ["runtime", { description: "Agents that work: a tool loop over a language model" }],
  ["mcp", { description: "Model Context Protocol: client, server and transports", node: true }],
  ["conformance", { description: "Conformance kit for Parley's specification" }],
]);

/** What Node 20 has; anything newer must not compile. */
const LIB = ["ES2022", "DOM", "ES2023.Array", "ESNext.Disposable", "ESNext.String"] as const;

async function buildMember(member: Member, outDir: string): Promise<void> {
  const { description, bin, node = false } = EXTRAS.get(member.folder) ?? { description: "" };
  const file = (path: string) => `${member.folder}/${path}`;
  await emptyDir(outDir);
  await build({
    entryPoints: [
      ...[...member.exports].map(([name, path]) => ({ name, path: file(path) })),
      ...(bin === undefined ? [] : [{ kind: "bin" as const, name: bin[0], path: file(bin[1]) }]),
    ],
    outDir,
    shims: {},
    test: false,
    scriptModule: false,
    polyfills: false,
    skipSourceOutput: true,
    compilerOptions: { target: "ES2022", lib: [...LIB] },
    package: {
      name: member.name,
      version: member.version,
      description,
      license: "MIT",
      sideEffects: false,
      engines: { node: ">=20" },
      exports: { "./package.json": "./package.json" },
      ...(node ? { devDependencies: { "@types/node": "^20.19.0" } } : {}),
    },
  });
  await Deno.copyFile(file("README.md"), `${outDir}/README.md`);
  await Deno.copyFile(file("LICENSE"), `${outDir}/LICENSE`);
  await addStdNotice(outDir);
}

/** Code of @std that was copied into the package keeps its licence: ours, by other authors. */
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
  const { out = "npm" } = readFlags(Deno.args, { out: { type: "string" } });
  Deno.chdir(ROOT);
  for (const member of await readMembers()) {
    try {
      await buildMember(member, `${out}/${member.folder}`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ToolError(`Cannot build ${member.folder}: ${reason}`, { cause: error });
    }
    console.log(`built ${out}/${member.folder}`);
  }
  return 0;
}

if (import.meta.main) await runTool("build_npm", main);
