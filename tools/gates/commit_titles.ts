/**
 * Checks that commit titles have at most 72 characters. Skips merges, and commits that are older
 * than the limit on titles. In a shallow clone, checks only the available commits.
 *
 *     deno task words
 *
 * @module
 */

import { readFlags, run, runTool } from "../cli.ts";
import { ROOT } from "../members.ts";

const MAX_LENGTH = 72;

/** Commit date of the last commit before the limit on commit titles was introduced. */
const SINCE = "2026-11-22T18:00:00Z";

/**
 * Returns one line for each commit whose title is too long. Each line of `log` contains a short
 * hash and a title.
 */
export function checkTitles(log: string): string[] {
  return log.split("\n").flatMap((line) => {
    const [hash, title = ""] = line.split(/ (.*)/s);
    // In a shallow clone, a merge looks like a commit without parents.
    if (title.startsWith("Merge ") || title.length <= MAX_LENGTH) return [];
    return [
      `${hash} has a title of ${title.length} characters, the maximum is ${MAX_LENGTH}; ` +
      `shorten it with git commit --amend or git rebase: ${title}`,
    ];
  });
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const args = ["log", "--no-merges", `--since=${SINCE}`, "--format=%h %s"];
  const { stdout } = await run("git", args, { cwd: ROOT });
  const errors = checkTitles(stdout.trim());
  for (const error of errors) console.error(error);
  console.log(
    `commits: ${
      stdout.trim() === "" ? 0 : stdout.trim().split("\n").length
    } since ${SINCE}, ${errors.length} errors`,
  );
  return errors.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTool("commit_titles", main);
