/**
 * The difference between the working tree and an earlier commit, as far as it concerns the
 * self-test.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import { isObject, readJson } from "../../conformance/kit/json.ts";
import { parseCaseFile } from "../../conformance/kit/load_cases.ts";
import { readText } from "../../conformance/platform/fs.ts";
import { caseRevision } from "../../conformance/runner/case_digest.ts";
import { readOutput } from "./command_output.ts";

/** What changed since a commit. */
export interface Change {
  /** Paths of added, changed and deleted files, relative to the root of the repository. */
  readonly files: ReadonlySet<string>;
  /** Ids of the cases in each case file of the working tree. */
  readonly caseFiles: ReadonlyMap<string, readonly string[]>;
  /** Revisions that the cases in changed files had in the commit, keyed by case id. */
  readonly oldCases: ReadonlyMap<string, string>;
  /** JSON text that the mutants had in the commit, keyed by mutant id. */
  readonly oldMutants: ReadonlyMap<string, string>;
}

const CASES = "conformance/cases/";
const MUTANTS = "lab/mutants/members/";

/**
 * Returns the commit to compare with: the merge base with `origin/main`, or the parent commit if
 * there is none.
 *
 * @throws {KitError} With code `usage` if the repository has no such commit.
 */
export async function findBase(repository: URL): Promise<string> {
  const base = await readOutput([
    "git",
    "-C",
    repository.pathname,
    "merge-base",
    "HEAD",
    "origin/main",
  ]);
  return base.code === 0 ? base.out.trim() : await git(repository, "rev-parse", "HEAD~1");
}

/**
 * Compares the working tree, including files that are not committed, with a commit.
 *
 * @throws {KitError} With code `usage` if the commit does not exist.
 */
export async function readChange(repository: URL, base: string): Promise<Change> {
  const commit = await git(repository, "rev-parse", "--verify", `${base}^{commit}`);
  const changed = await git(repository, "diff", "--name-only", "--no-renames", commit);
  const added = await git(repository, "ls-files", "--others", "--exclude-standard");
  const files = new Set(lines(`${changed}\n${added}`));
  const present = lines(await git(repository, "ls-files", "--cached", "--others", CASES));
  const oldCases = await readOld(repository, {
    commit,
    folder: CASES,
    isWanted: (path) => files.has(path),
    read: readRevisions,
  });
  const oldMutants = await readOld(repository, {
    commit,
    folder: MUTANTS,
    isWanted: () => true,
    read: (text) => readItems(text).map((each) => [String(each.id), formatMutant(each)]),
  });
  const caseFiles = await Promise.all(
    present.filter((path) => path.endsWith(".json")).map(async (path) => {
      const text = await readText(new URL(path, repository)) ?? "";
      return [path, readItems(text).map(({ id }) => String(id))] as const;
    }),
  );
  return { files, caseFiles: new Map(caseFiles), oldCases, oldMutants };
}

/** Reads what files of a folder contained in a commit. */
async function readOld(
  repository: URL,
  { commit, folder, isWanted, read }: {
    readonly commit: string;
    readonly folder: string;
    readonly isWanted: (path: string) => boolean;
    readonly read: (text: string, path: string) => readonly (readonly [string, string])[];
  },
): Promise<ReadonlyMap<string, string>> {
  const paths = lines(await git(repository, "ls-tree", "-r", "--name-only", commit, folder))
    .filter((path) => isWanted(path) && path.endsWith(".json"));
  const found = new Map<string, string>();
  for (const path of paths) {
    const text = await git(repository, "show", `${commit}:${path}`);
    for (const [id, value] of read(text, path)) found.set(id, value);
  }
  return found;
}

/** Formats a mutant for comparison with the mutant that `readMemberMutants` reads. */
function formatMutant(written: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ kills: [], rows: [], ...written });
}

/**
 * Returns the revisions of the cases in a file. If the file is not valid today, all its cases count
 * as changed.
 */
function readRevisions(text: string, path: string): readonly (readonly [string, string])[] {
  try {
    return parseCaseFile(text, path).cases.map((each) => [each.id, caseRevision(each)]);
  } catch (error) {
    if (error instanceof KitError && error.code === KitErrorCode.BadFile) return [];
    throw error;
  }
}

/** Returns the objects in a list of mutants, or in the member `cases` of a case file. */
function readItems(text: string): readonly Readonly<Record<string, unknown>>[] {
  const value = readJson(text)?.value;
  const items = isObject(value) ? value.cases : value;
  return Array.isArray(items) ? items.filter(isObject) : [];
}

async function git(repository: URL, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await readOutput(["git", "-C", repository.pathname, ...args]);
  if (code === 0) return out.trim();
  throw new KitError(KitErrorCode.Usage, `Cannot run git ${args.join(" ")}: ${err.trim()}`);
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
