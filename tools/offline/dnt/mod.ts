/**
 * The part of dnt that tools/release/build_npm.ts uses, with the same signatures and the same output: ES modules with
 * declarations, JSON as modules, JSR code in `deps/`, npm dependencies in package.json. dnt itself is published only
 * on JSR, and releases are built with the original dnt.
 *
 * @module
 */

import { compile, type Diagnostic } from "./compile.ts";
import { stage } from "./stage.ts";

/** One export or binary of the package. */
export interface EntryPoint {
  readonly kind?: "bin" | "export";
  /** Subpath of an export (`.`, `./did`), or command of a binary. */
  readonly name: string;
  readonly path: string;
}

/** Fields of package.json. */
export interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/**
 * Options for a build. Options that accept only one value here must be set, because their default in dnt is a different
 * value.
 */
export interface BuildOptions {
  readonly entryPoints: readonly EntryPoint[];
  readonly outDir: string;
  readonly shims: Readonly<Record<string, never>>;
  readonly test: false;
  readonly scriptModule: false;
  readonly polyfills: false;
  readonly skipSourceOutput: true;
  readonly compilerOptions: { readonly target: "ES2022"; readonly lib: readonly string[] };
  /** Returns false if a diagnostic should be ignored. */
  readonly filterDiagnostic: (diagnostic: Diagnostic) => boolean;
  readonly package: PackageJson;
}

/** Creates an empty folder, or empties an existing one. */
export async function emptyDir(dir: string): Promise<void> {
  await Deno.mkdir(dir, { recursive: true });
  for await (const { name } of Deno.readDir(dir)) {
    await Deno.remove(`${dir}/${name}`, { recursive: true });
  }
}

/** Builds an npm package in `outDir`. */
export async function build(options: BuildOptions): Promise<void> {
  const { entryPoints, outDir } = options;
  const out = await Deno.realPath(outDir);
  const urls = await Promise.all(
    entryPoints.map(async ({ path }) => `file://${await Deno.realPath(path)}`),
  );
  const binaries = urls.filter((_, index) => entryPoints[index]?.kind === "bin");
  const { stems, dependencies } = await stage(urls, binaries, out);
  const manifest = packageJson(options, urls.map((url) => `./esm/${stems.get(url)}`), dependencies);
  await Deno.writeTextFile(`${out}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  await Deno.writeTextFile(`${out}/.npmignore`, "/src/\nyarn.lock\npnpm-lock.yaml\n");
  await npmInstall(out);
  compile(out, options.compilerOptions.lib, options.filterDiagnostic);
  await Deno.writeTextFile(`${out}/esm/package.json`, `{\n  "type": "module"\n}\n`);
  await Deno.remove(`${out}/src`, { recursive: true });
}

function packageJson(
  { entryPoints, package: fields }: BuildOptions,
  stems: readonly string[],
  dependencies: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const named = entryPoints.map(({ kind, name }, index) => ({ kind, name, stem: stems[index] }));
  const binaries = named.filter(({ kind }) => kind === "bin");
  const modules = named.filter(({ kind }) => kind !== "bin");
  return {
    ...fields,
    module: `${modules[0]?.stem}.js`,
    exports: {
      ...Object.fromEntries(modules.map(({ name, stem }) => [name, { import: `${stem}.js` }])),
      ...fields.exports,
    },
    ...(binaries.length === 0
      ? {}
      : { bin: Object.fromEntries(binaries.map(({ name, stem }) => [name, `${stem}.js`])) }),
    dependencies,
    _generatedBy: "stand-in for dnt",
  };
}

async function npmInstall(cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("npm", {
    args: ["install", "--silent", "--no-audit", "--no-fund", "--prefer-offline"],
    cwd,
  }).output();
  if (!success) throw new Error(`npm install failed: ${new TextDecoder().decode(stderr)}`);
}
