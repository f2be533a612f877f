/**
 * Checks that the titles of commits have at most 72 characters. Merges and commits before the rule are left out. A shallow
 * clone is checked as far as it goes.
 *
 *     deno task commits
 *
 * @module
 */

import { readFlags, run, runTool } from "../cli.ts";
import { ROOT } from "../members.ts";

const MAX_LENGTH = 72;

/** Commit date of the last commit before the rule. */
const SINCE = "2026-11-22T17:05:00Z";

/** Returns the commits whose title is too long, one line each. `log` has a short hash and a title in each line. */
export function checkTitles(log: string): string[] {
  return log.split("\n").flatMap((line) => {
    const [hash, title = ""] = line.split(/ (.*)/s);
    // In a shallow clone, a merge looks like a commit without parents.
    if (title.startsWith("Merge ") || title.length <= MAX_LENGTH) return [];
    return [
      `${hash} has a title of ${title.length} characters, the maximum is ${MAX_LENGTH}: ${title}`,
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
