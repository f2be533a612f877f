/**
 * Checks publishing to JSR without contacting jsr.io. Publishes every member to a registry on
 * loopback and adds the packages to an empty project. Type-checks and runs a program that uses the
 * published packages, and checks the published files.
 *
 *     deno task check:publish jsr
 *
 * @module
 */

import { run, step, ToolError, withTempDir } from "../cli.ts";
import { JsrRegistry, type PackageFile } from "./local_jsr.ts";
import { checkPythonDriver } from "../../conformance/drivers/python/check_python_driver.ts";
import { importEverything, INTERNAL, type Member, readMembers, ROOT } from "../members.ts";

/** Specifiers that a published file may import. */
const CANONICAL = /^(?:\.{1,2}\/|jsr:@|npm:|node:)/;

/** A program that a package user might write. */
const PROGRAM = new URL("tools/release/smoke_program.ts", ROOT);

/** The part of `deno info --json` that the check reads. */
interface ModuleGraph {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly { readonly specifier: string }[] | null;
  }[];
}

/** Publishes the packages in tools/offline, because the members depend on them. */
async function addStandIns(registry: JsrRegistry): Promise<void> {
  const folder = new URL("tools/offline/", ROOT);
  for await (const { name } of Deno.readDir(folder)) {
    const files = await readPackage(new URL(`${name}/`, folder));
    const config = files.find(({ path }) => path === "/deno.json");
    const text = new TextDecoder().decode(config?.bytes);
    const { name: fullName, version, imports = {} } = JSON.parse(text);
    const [scope, short] = String(fullName).slice(1).split("/");
    const resolved = files.map((file) => resolveImports(file, imports));
    registry.add({ scope: scope ?? "", name: short ?? "", version, files: resolved });
  }
}

async function readPackage(folder: URL): Promise<PackageFile[]> {
  const files: PackageFile[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    files.push({ path: `/${name}`, bytes: await Deno.readFile(new URL(name, folder)) });
  }
  return files;
}

/** Replaces bare specifiers with full specifiers, as `deno publish` does. */
function resolveImports(
  { path, bytes }: PackageFile,
  imports: Readonly<Record<string, string>>,
): PackageFile {
  if (path === "/deno.json") return { path, bytes };
  const text = Object.entries(imports).reduce(
    (code, [bare, target]) => code.replaceAll(`"${bare}`, `"${target}`),
    new TextDecoder().decode(bytes),
  );
  return { path, bytes: new TextEncoder().encode(text) };
}

/** Returns one line for each file that is missing or must not be published. */
export function checkPublished(
  members: readonly Pick<Member, "name" | "version">[],
  packages: JsrRegistry["packages"],
): string[] {
  return members.flatMap(({ name, version }) => {
    const found = packages.find((candidate) =>
      `@${candidate.scope}/${candidate.name}` === name && candidate.version === version
    );
    if (found === undefined) return [`${name}@${version} was not published`];
    const paths = found.files.map(({ path }) => path);
    return [
      ...["/README.md", "/LICENSE"].filter((path) => !paths.includes(path))
        .map((path) => `${name} is published without ${path}`),
      ...paths.filter((path) => path.endsWith("_test.ts") || path.includes("/testdata/"))
        .map((path) => `${name} publishes ${path}`),
    ];
  });
}

/** Returns the specifiers that work only in this repository. */
export function checkSpecifiers(graph: ModuleGraph, registry: string): string[] {
  return graph.modules.filter(({ specifier }) => specifier.startsWith(`${registry}@parley/`))
    .flatMap(({ specifier: module, dependencies }) =>
      (dependencies ?? []).filter(({ specifier }) => !CANONICAL.test(specifier))
        .map(({ specifier }) => `${module.slice(registry.length)} imports "${specifier}"`)
    );
}

async function checkInstalled(
  registry: JsrRegistry,
  members: readonly Member[],
): Promise<string[]> {
  return await withTempDir(async (dir) => {
    const env = { JSR_URL: registry.url, DENO_DIR: `${dir}/.deno` };
    const options = { cwd: dir, env };
    await Deno.writeTextFile(`${dir}/deno.json`, "{}\n");
    await Deno.copyFile(PROGRAM, `${dir}/main.ts`);
    await Deno.writeTextFile(`${dir}/entries.ts`, importEverything(members));
    const names = members.map(({ name }) => `jsr:${name}`);
    await step("deno add", () => run("deno", ["add", ...names], options));
    await step("deno check", () => run("deno", ["check", "entries.ts", "main.ts"], options));
    await step("deno run", async () => {
      // `@parley/mcp/process` and `@parley/conformance` import cross-spawn, one of whose
      // dependencies reads OSTYPE. The other packages need no permission.
      await run("deno", ["run", "--no-prompt", "--allow-env=OSTYPE", "entries.ts"], options);
      const { stdout } = await run(
        "deno",
        ["run", "--no-prompt", "--allow-env=OSTYPE", "main.ts"],
        options,
      );
      console.log(stdout.trim());
    });
    await step("init", async () => {
      await run("deno", ["run", "-A", "jsr:@parley/runtime/init", "agent", "my-agent"], options);
      await run(
        "deno",
        ["run", "-A", "jsr:@parley/mcp/cli", "init", "server", "my-server"],
        options,
      );
    });
    await step("the kit, from an empty folder", () => runKitAlone(env));
    const info = await run("deno", ["info", "--json", "entries.ts"], options);
    return checkSpecifiers(JSON.parse(info.stdout), registry.url);
  });
}

async function runKitAlone(env: Readonly<Record<string, string>>): Promise<void> {
  await withTempDir(async (cwd) => {
    const kit = ["run", "--allow-all", "jsr:@parley/conformance/cli"];
    const summary = await checkPythonDriver((args) => run("deno", [...kit, ...args], { cwd, env }));
    console.log(`parley-kit on Python: ${summary}`);
  });
}

/**
 * Publishes the members and uses the published packages.
 *
 * @throws {ToolError} If a member cannot be published or used.
 */
export async function checkPublishJsr(): Promise<void> {
  const members = await readMembers();
  const registry = new JsrRegistry();
  try {
    await addStandIns(registry);
    const publish = ["publish", "--token", "loopback", "--allow-dirty", "--no-provenance"];
    const options = { cwd: ROOT, env: { JSR_URL: registry.url }, timeoutMs: 600_000 };
    await step("deno publish", () => run("deno", publish, options));
    const published = checkPublished(members, registry.packages);
    const problems = [
      ...published,
      ...await checkInstalled(
        registry,
        members.filter(({ folder }) => folder !== INTERNAL),
      ),
    ];
    if (problems.length > 0) throw new ToolError(problems.join("\n"));
  } finally {
    await registry.close();
  }
}
