/**
 * Files: the one door to `node:fs/promises`.
 *
 * @module
 */

import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Reads a text file; undefined when there is none. */
export async function readText(path: string | URL): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes a text file, in place of what was there. */
export async function writeText(path: string | URL, text: string): Promise<void> {
  await writeFile(path, text);
}

/** Adds text to the end of a file. */
export async function appendText(path: string, text: string): Promise<void> {
  await appendFile(path, text);
}

/** Whether a folder holds nothing, or is not there. */
export async function isEmptyFolder(path: string): Promise<boolean> {
  try {
    return (await readdir(path)).length === 0;
  } catch {
    // A folder that is not there holds nothing.
    return true;
  }
}

/** Makes a folder and those above it. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
}

/** Copies a folder with all that is in it. */
export async function copyFolder(from: string | URL, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
}

/** Makes a fresh temporary folder. */
export async function makeTemporaryFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "parley-kit-"));
}

/** Deletes a folder with all that is in it. */
export async function deleteFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
