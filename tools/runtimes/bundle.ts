/**
 * Bundles the npm packages for browsers with esbuild, either with code splitting or into one file.
 * The only module that imports esbuild.
 *
 * @module
 */

import {
  build,
  type BuildOptions,
  type BuildResult,
  type Metafile,
  type Plugin,
  stop,
} from "esbuild";
import { ToolError, withTempDir } from "../cli.ts";
import { readPackages, ROOT } from "../members.ts";

/** Result of bundling one entry. */
export interface Bundle {
  /** Name of the entry file. */
  readonly entry: string;
  /** Content of every file, keyed by file name. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Content and imports of every file, keyed by file name. */
  readonly outputs: ReadonlyMap<string, Output>;
}

/** esbuild's metadata for a file. */
export type Output = Metafile["outputs"][string];

/** Bundles source text that imports the packages. */
export async function bundleText(contents: string): Promise<Bundle> {
  return await bundle({ stdin: { contents, resolveDir: ROOT.pathname, sourcefile: "entry.js" } });
}

/** Bundles a program from this folder that imports the packages. */
export async function bundleProgram(name: string): Promise<Bundle> {
  return await bundleFile(new URL(`programs/${name}`, import.meta.url).pathname);
}

/**
 * Bundles a file with the packages installed next to it or, if no packages are installed there,
 * with the built packages.
 */
export async function bundleFile(path: string): Promise<Bundle> {
  return await bundle({ entryPoints: [path] });
}

/** A single-file program in which `import()` rejects. */
export interface OneFile {
  /**
   * Classic script that defines the global variable `program`, which contains the exports of the
   * program.
   */
  readonly script: string;
  /** Names of the modules that the program loads with `import()`. */
  readonly lazy: readonly string[];
}

/**
 * Bundles a program from this folder into one file. Each `import()` in the file rejects, as in a
 * service worker.
 */
export async function bundleOneFile(name: string): Promise<OneFile> {
  const entryPoint = new URL(`programs/${name}`, import.meta.url).pathname;
  return await withTempDir(async (dir) => {
    await linkPackages(`${dir}/@parley`);
    const lazy: string[] = [];
    const { outputFiles = [] } = await tryBuild({
      ...OPTIONS,
      splitting: false,
      format: "iife",
      globalName: "program",
      plugins: [rejectDynamicImports(lazy)],
      entryPoints: [entryPoint],
      nodePaths: [dir],
      absWorkingDir: dir,
      outdir: `${dir}/out`,
    });
    return { script: outputFiles[0]?.text ?? "", lazy: lazy.toSorted() };
  });
}

function rejectDynamicImports(found: string[]): Plugin {
  return {
    name: "reject-dynamic-imports",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /.*/ }, ({ kind, path }) => {
        if (kind !== "dynamic-import") return undefined;
        found.push(path);
        return { path, namespace: "dynamic" };
      });
      onLoad({ filter: /.*/, namespace: "dynamic" }, () => ({
        contents: `throw new TypeError("import() is disallowed");`,
      }));
    },
  };
}

/** Stops the esbuild process. */
export async function endBundling(): Promise<void> {
  await stop();
}

const OPTIONS = {
  bundle: true,
  splitting: true,
  minify: true,
  metafile: true,
  write: false,
  format: "esm",
  platform: "browser",
  target: "es2022",
  external: ["node:*"],
  entryNames: "entry",
  chunkNames: "[name]-[hash]",
  logLevel: "silent",
} as const satisfies BuildOptions;

async function bundle(input: BuildOptions): Promise<Bundle> {
  return await withTempDir(async (dir) => {
    await linkPackages(`${dir}/@parley`);
    const outdir = `${dir}/out`;
    const { outputFiles = [], metafile } = await tryBuild({
      ...OPTIONS,
      ...input,
      nodePaths: [dir],
      absWorkingDir: dir,
      outdir,
    });
    return {
      entry: "entry.js",
      files: new Map(
        outputFiles.map(({ path, contents }) => [
          path.slice(outdir.length + 1),
          // The content is copied, because esbuild's array may be a view of a larger buffer.
          new Uint8Array(contents),
        ]),
      ),
      outputs: new Map(
        Object.entries(metafile?.outputs ?? {}).map((
          [path, output],
        ) => [path.replace(/^out\//, ""), output]),
      ),
    };
  });
}

async function tryBuild(options: BuildOptions): Promise<BuildResult> {
  try {
    return await build(options);
  } catch (error) {
    throw new ToolError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Links the built packages into the folder in which esbuild resolves `@parley/...`. */
async function linkPackages(scope: string): Promise<void> {
  await Deno.mkdir(scope);
  for (const { folder } of await readPackages()) {
    await Deno.symlink(new URL(`npm/${folder}`, ROOT).pathname, `${scope}/${folder}`);
  }
}
