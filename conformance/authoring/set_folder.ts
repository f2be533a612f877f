/**
 * Reads and writes the folder of requirement sets, and reads its history.
 *
 * @module
 */

import { DRAFT_FILE, ERRATA_SUFFIX, type SetFiles } from "./check_sets.ts";
import type { FileVersion } from "./set_history.ts";
import { formatSetModule } from "./set_module.ts";

/** Folder of requirement sets, relative to the root of the repository. */
const FOLDER = "conformance/requirements";

const ROOT = new URL("../../", import.meta.url);
const SETS = new URL(`${FOLDER}/`, ROOT);

/** The module that imports the released sets. */
const MODULE = new URL("../kit/released_sets.ts", import.meta.url);

/** Reads the files of requirement sets. */
export async function readSetFiles(): Promise<SetFiles> {
  const texts = new Map<string, string>();
  for await (const { name } of Deno.readDir(SETS)) {
    if (name.endsWith(".json")) texts.set(name, await Deno.readTextFile(new URL(name, SETS)));
  }
  return texts;
}

/** Writes files, and the module that imports the released sets and their errata. */
export async function writeSetFiles(writes: SetFiles): Promise<void> {
  for (const [name, text] of writes) await Deno.writeTextFile(new URL(name, SETS), text);
  await Deno.writeTextFile(MODULE, formatSetModule([...(await readSetFiles()).keys()]));
}

/** Returns true if the module imports exactly the given files. */
export async function isSetModuleCurrent(files: SetFiles): Promise<boolean> {
  return await Deno.readTextFile(MODULE) === formatSetModule([...files.keys()]);
}

/** Reads all versions of released sets and errata in the history, the oldest first. */
export async function readSetHistory(): Promise<readonly FileVersion[]> {
  const log = await git("log", "--reverse", "--format=%H", "--", FOLDER);
  const versions: FileVersion[] = [];
  for (const commit of lines(log)) {
    const changed = await git(
      "show",
      "--format=",
      "--name-only",
      "--diff-filter=AM",
      commit,
      "--",
      FOLDER,
    );
    for (const path of lines(changed)) {
      const name = path.slice(FOLDER.length + 1);
      if (!isReleased(name)) continue;
      versions.push({ commit, name, text: await git("show", `${commit}:${path}`) });
    }
  }
  return versions;
}

/** Reads the draft set of the last commit before a date. Returns `undefined` if it is missing. */
export async function readDraftBefore(date: string): Promise<string | undefined> {
  const [commit] = lines(await git("rev-list", "-1", `--before=${date}`, "HEAD"));
  if (commit === undefined) return undefined;
  const path = `${FOLDER}/${DRAFT_FILE}`;
  const listed = lines(await git("ls-tree", "--name-only", commit, "--", path));
  return listed.length === 0 ? undefined : await git("show", `${commit}:${path}`);
}

function isReleased(name: string): boolean {
  return /\.[1-9]\d*\.json$/.test(name) || name.endsWith(ERRATA_SUFFIX);
}

async function git(...args: readonly string[]): Promise<string> {
  const command = new Deno.Command("git", { args: [...args], cwd: ROOT, stderr: "inherit" });
  const { success, stdout } = await command.output();
  if (!success) throw new Error(`Cannot run git ${args.join(" ")}`);
  return new TextDecoder().decode(stdout);
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
