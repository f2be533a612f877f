/**
 * Lists and reads the source files that the gates check.
 *
 * @module
 */

import { run } from "../cli.ts";
import { ROOT } from "../members.ts";

/**
 * Folders of the code that is published, or that tests what is published. Not every folder must
 * exist.
 */
export const CODE_FOLDERS = ["comm", "runtime", "mcp", "conformance", "internal", "lab"] as const;

/** A file and its text. */
export interface SourceText {
  /** Path relative to the repository root. */
  readonly path: string;
  readonly source: string;
}

/** Matches the stand-ins for packages, which have the form of the packages. */
const STAND_IN = /^tools\/offline\//;
const TEST = /_test\.ts$|\/testdata\//;

/**
 * Reads the TypeScript and JavaScript files in the repository, or those in some of its folders.
 * Omits files that Git ignores and stand-ins for packages.
 */
export async function readSources(folders: readonly string[] = ["."]): Promise<SourceText[]> {
  const patterns = folders.flatMap((folder) =>
    ["ts", "tsx", "js", "mjs"].map((extension) =>
      folder === "." ? `*.${extension}` : `${folder}/*.${extension}`
    )
  );
  const { stdout } = await run(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", ...patterns],
    { cwd: ROOT },
  );
  const paths = stdout.split("\n").filter((path) => path !== "" && !STAND_IN.test(path));
  const texts = await Promise.all(paths.map(async (path) => {
    try {
      return [{ path, source: await Deno.readTextFile(new URL(path, ROOT)) }];
    } catch (error) {
      // A deleted file stays in the index until the deletion is committed.
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }));
  return texts.flat();
}

/** Reads the files in {@linkcode CODE_FOLDERS}, without their tests. */
export async function readProductSources(): Promise<SourceText[]> {
  return (await readSources(CODE_FOLDERS)).filter(({ path }) => !TEST.test(path));
}
