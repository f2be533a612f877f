/**
 * Skills in a folder on the file system, on Deno, Node.js and Bun. Pass the result of
 * {@linkcode folderSkills} to `serverSkills()` from `@parley/mcp/skills`.
 *
 * @module
 */

import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { assertCount, assertNonEmptyString } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { McpError } from "../shared/error.ts";
import { isPlainSegment } from "./skill_entry.ts";
import type { SkillFiles } from "./skill_files.ts";
import { quote } from "@parley/internal/format-value";

export type { SkillFiles } from "./skill_files.ts";

/** Options for {@linkcode folderSkills}. */
export interface FolderSkillsOptions {
  /**
   * Maximum number of files and folders. If the folder contains more than `maxFiles` files and
   * folders, no skills are loaded.
   *
   * @default {10_000}
   */
  readonly maxFiles?: number;
  /**
   * Maximum size of a file, in bytes. A skill with a larger file is omitted.
   *
   * @default {16_777_216}
   */
  readonly maxFileBytes?: number;
}

const readOptions = optionsReader<FolderSkillsOptions>("options")({
  maxFiles: withDefault(10_000, assertCount),
  maxFileBytes: withDefault(16_777_216, assertCount),
});

/**
 * Creates a source for the skills in a folder. Names that start with a dot are ignored, because
 * dotfiles often contain settings or secrets. Symbolic links are not followed: a skill that
 * contains one is omitted.
 *
 * @param folder Path or `file:` URL of the folder that contains the skill folders.
 * @param options Limits.
 * @throws {TypeError} If `folder` is neither a non-empty path nor a `file:` URL.
 * @throws {RangeError} If a limit is not a positive integer.
 *
 * @example Create a server for the skills in a folder
 * ```ts
 * import { McpServer } from "@parley/mcp";
 * import { serverSkills } from "@parley/mcp/skills";
 * import { folderSkills } from "@parley/mcp/skills/folder";
 * import { assertRejects } from "@std/assert";
 *
 * async function createServer(folder: string): Promise<McpServer> {
 *   const skills = await serverSkills({ files: folderSkills(folder) });
 *   return new McpServer({ name: "shop", version: "1.0.0", extensions: [skills] });
 * }
 * await assertRejects(() => createServer("./a-folder-that-does-not-exist"));
 * ```
 */
export function folderSkills(folder: string | URL, options: FolderSkillsOptions = {}): SkillFiles {
  const { maxFiles, maxFileBytes } = readOptions(options);
  if (!(folder instanceof URL)) assertNonEmptyString("folder", folder);
  const root = folder instanceof URL ? fileURLToPath(folder) : resolve(folder);
  return {
    list: () => listFiles(root, maxFiles),
    read: (path) => readFileIn(root, path, maxFileBytes),
  };
}

async function listFiles(root: string, maxFiles: number): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [""];
  let count = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith(".")) continue;
      if (++count > maxFiles) {
        throw McpError.core(`"${root}" has more than "maxFiles" (${maxFiles}) files and folders`);
      }
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else files.push(path);
    }
  }
  return files;
}

async function readFileIn(
  root: string,
  path: string,
  maxFileBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!path.split("/").every(isPlainSegment)) {
    throw new Error(`${quote(path)} is not a relative path`);
  }
  const expected = join(await realpath(root), path);
  if (await realpath(expected) !== expected) {
    throw new Error(`${quote(path)} is a symbolic link, or is in a folder that is one`);
  }
  const info = await lstat(expected);
  if (!info.isFile()) throw new Error(`${quote(path)} is not a file`);
  if (info.size > maxFileBytes) {
    throw new RangeError(
      `${quote(path)} has ${info.size} bytes, more than "maxFileBytes" (${maxFileBytes})`,
    );
  }
  return new Uint8Array(await readFile(expected));
}
