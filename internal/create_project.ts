/**
 * The `init` command, which creates a project from a starter: a small program with a test, which
 * runs on Node.js, Deno and Bun.
 *
 * @module
 */

import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { formatChoices } from "./option_checks.ts";

/** The starters for a package. */
export interface Starters {
  /** Name of the package that the created projects depend on. */
  readonly packageName: string;
  /** Version of the package. */
  readonly version: string;
  /**
   * Files of each starter, keyed by kind of starter; the value is the text of each file, keyed by
   * file name.
   */
  readonly kinds: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Thrown if no project was created. The error message states the reason in one sentence. */
export class ProjectError extends Error {}

/** Matches names that npm allows and that do not need quotes in a shell. */
const NAME = /^[a-z][a-z0-9-]{0,99}$/;

/** Functions that return the reason for a file error, keyed by error code. */
const REASONS: ReadonlyMap<unknown, (folder: string) => string> = new Map([
  ["EEXIST", () => "it already exists"],
  ["ENOENT", (folder: string) => `the folder "${dirname(folder)}" does not exist`],
  ["ENOTDIR", (folder: string) => `"${dirname(folder)}" is not a folder`],
  ["EACCES", (folder: string) => `writing to the folder "${dirname(folder)}" is not permitted`],
  ["EPERM", (folder: string) => `writing to the folder "${dirname(folder)}" is not permitted`],
  ["EROFS", (folder: string) => `the folder "${dirname(folder)}" is read-only`],
]);

/**
 * Creates a project in a new folder.
 *
 * @param args Arguments of the command: the kind of starter and the path to the new folder. The
 * last segment of the path becomes the name of the project.
 * @param starters The starters for the package.
 * @returns Text to print, which names the new folder and the next commands.
 * @throws {ProjectError} If an argument is invalid or the folder cannot be created. An existing
 * folder is not changed.
 */
export async function createProject(args: readonly string[], starters: Starters): Promise<string> {
  const { folder, source } = readArguments(args, starters);
  const files = {
    ...configure(basename(resolve(folder)), starters),
    ...source,
  };
  try {
    await mkdir(folder);
  } catch (error) {
    throw new ProjectError(`Cannot create "${folder}": ${reasonOf(error, folder)}`, {
      cause: error,
    });
  }
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new ProjectError(`Cannot write to "${folder}": ${reasonOf(error, folder)}`, {
      cause: error,
    });
  }
  return `Created "${folder}" with ${Object.keys(files).length} files. Next:

  cd ${folder}
  npm install   (or "deno install", or "bun install")
  npm test      (or "deno task test", or "bun test")

README.md describes the files.
`;
}

function readArguments(
  [kind, folder, extra]: readonly string[],
  { kinds }: Starters,
): { readonly folder: string; readonly source: Readonly<Record<string, string>> } {
  const known = formatChoices([...kinds.keys()]);
  if (kind === undefined) {
    throw new ProjectError(`Cannot create a project: the kind is missing; it must be ${known}`);
  }
  const source = kinds.get(kind);
  if (source === undefined) {
    const got = JSON.stringify(kind);
    throw new ProjectError(`Cannot create a project: the kind must be ${known}, got ${got}`);
  }
  if (folder === undefined || folder === "") {
    throw new ProjectError(
      `Cannot create a project: the folder is missing; use, for example, "init ${kind} my-${kind}"`,
    );
  }
  if (extra !== undefined) {
    throw new ProjectError(`Invalid arguments: unexpected ${JSON.stringify(extra)}`);
  }
  if (NAME.test(basename(resolve(folder)))) return { folder, source };
  throw new ProjectError(
    `Cannot create ${
      JSON.stringify(folder)
    }: the name of the folder must start with a lowercase letter and consist ` +
      "of at most 100 lowercase letters, digits and hyphens",
  );
}

/** Returns the configuration files of a project. */
function configure(name: string, { packageName, version }: Starters): Record<string, string> {
  const npm = {
    name,
    version: "0.0.0",
    private: true,
    type: "module",
    // Node.js runs TypeScript without flags as of version 22.18.
    engines: { node: ">=22.18" },
    scripts: { start: "node main.ts", test: "node --test", check: "tsc" },
    dependencies: { [packageName]: `^${version}` },
    devDependencies: { "@types/node": "^22.18.0", typescript: "^5.9.0" },
  };
  const deno = {
    tasks: { start: "deno run -A main.ts", test: "deno test -A", check: "deno check" },
  };
  const typescript = {
    compilerOptions: {
      strict: true,
      noUncheckedIndexedAccess: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      target: "es2022",
      module: "nodenext",
      types: ["node"],
    },
  };
  return {
    ".gitignore": "node_modules/\n",
    "deno.json": toText(deno),
    "package.json": toText(npm),
    "tsconfig.json": toText(typescript),
  };
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function reasonOf(error: unknown, folder: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const reason = REASONS.get(code);
  if (reason !== undefined) return reason(folder);
  return error instanceof Error ? error.message : String(error);
}
