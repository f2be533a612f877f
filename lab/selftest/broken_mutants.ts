/**
 * Finds mutants that fail for the wrong reason: their file has a syntax error, or uses a name that
 * is not defined. A case fails with such a mutant, but does not detect the fault.
 *
 *     deno run -A lab/selftest/broken_mutants.ts [FOLDER]
 *
 * @module
 */

import { isObject, readJson } from "../../conformance/kit/json.ts";
import {
  deleteFolder,
  makeTemporaryFolder,
  readText,
  writeText,
} from "../../conformance/platform/fs.ts";
import { commandLine, setExitCode, writeOut } from "../../conformance/platform/process.ts";
import { readOutput } from "./command_output.ts";
import { readMemberMutants } from "./mutants.ts";
import { type MemberMutant, REPOSITORY } from "./workspace.ts";

/**
 * Describes each mutant whose file has a syntax error or uses an undefined name. The files are not
 * type-checked, because a fault may violate the types. Stale mutants are not checked.
 *
 * @param mutants Mutants to check.
 * @param repository Root of the repository.
 */
export async function findBrokenMutants(
  mutants: readonly MemberMutant[],
  repository: URL,
): Promise<readonly string[]> {
  if (mutants.length === 0) return [];
  const folder = await makeTemporaryFolder();
  try {
    const privateNames = await Promise.all(mutants.map(async ({ id, file, find, replace }) => {
      const original = await readText(new URL(file, repository)) ?? "";
      const text = original.replace(find, () => replace);
      await writeText(`${folder}/${id}.ts`, text);
      return undefinedPrivateNames(text).map((name) => format(id, `${name} is not defined`));
    }));
    // The linter takes about a second for all mutants; the type checker takes minutes.
    const rules = ["--no-config", "--rules-tags=", "--rules-include=no-undef", "--json"];
    const { out, err } = await readOutput(["deno", "lint", ...rules, folder]);
    const problems = readProblems(out);
    if (problems === undefined) throw new Error(`Cannot check the mutants: ${err}`);
    return [...new Set([...problems, ...privateNames.flat()])].sort();
  } finally {
    await deleteFolder(folder);
  }
}

/** Reads the report of `deno lint`. Returns `undefined` if the text is not a report. */
function readProblems(report: string): readonly string[] | undefined {
  const value = readJson(report)?.value;
  if (!isObject(value) || !Array.isArray(value.diagnostics) || !Array.isArray(value.errors)) {
    return undefined;
  }
  return [
    ...value.errors.map(({ file_path: path, message }) => [path, firstLine(message)]),
    ...value.diagnostics.map(({ filename, message }) => [filename, message]),
  ].map(([path, message]) => format(idOf(path), message));
}

/** The linter does not check private names, and a file with an undefined one does not load. */
function undefinedPrivateNames(text: string): readonly string[] {
  const used = text.matchAll(/\.(#\w+)/g).map(([, name = ""]) => name);
  const declared = new Set(text.matchAll(/[\s*](#\w+)/g).map(([, name]) => name));
  return [...used.filter((name) => !declared.has(name))];
}

function format(id: string, reason: unknown): string {
  return `mutant ${id} does not run: ${reason}`;
}

function firstLine(text: unknown): string {
  return String(text).split("\n")[0] ?? "";
}

function idOf(path: unknown): string {
  return /([^/\\]+)\.ts$/.exec(String(path))?.[1] ?? "";
}

if (import.meta.main) {
  const [folder = "lab/mutants/members/"] = commandLine();
  const mutants = await readMemberMutants(new URL(folder, REPOSITORY));
  const problems = await findBrokenMutants(mutants, REPOSITORY);
  for (const problem of problems) writeOut(`${problem}\n`);
  setExitCode(problems.length === 0 ? 0 : 1);
}
