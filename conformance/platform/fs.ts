/**
 * Files: the one door to `node:fs/promises`.
 *
 * @module
 */

import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { KitError, KitErrorCode } from "../kit/error.ts";

/**
 * Reads a text file; undefined when there is none.
 *
 * @throws {KitError} `bad_file` when it cannot be read
 */
export async function readText(path: string | URL): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw toKitError("read", path, cause);
  }
}

/**
 * Writes a text file, in place of what was there.
 *
 * @throws {KitError} `bad_file` when it cannot be written
 */
export async function writeText(path: string | URL, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw toKitError("write", path, cause);
  }
}

/**
 * Adds text to the end of a file.
 *
 * @throws {KitError} `bad_file` when it cannot be written
 */
export async function appendText(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text);
  } catch (cause) {
    throw toKitError("write", path, cause);
  }
}

/**
 * Makes sure that the folder of a file is there, before there is something to be written into it.
 *
 * @throws {KitError} `bad_file` when it is not
 */
export async function checkFolderOf(path: string): Promise<void> {
  try {
    await readdir(dirname(path));
  } catch (cause) {
    throw toKitError("write", path, cause);
  }
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "no such folder",
  ENOTDIR: "its parent is not a folder",
  EISDIR: "is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "permission denied",
  ENOSPC: "no space left on device",
};

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function toKitError(verb: "read" | "write", path: string | URL, cause: unknown): KitError {
  const reason = FILE_FAULTS[codeOf(cause)] ?? (cause instanceof Error ? cause.message : "");
  return new KitError(KitErrorCode.BadFile, `Cannot ${verb} "${path}": ${reason}`, { cause });
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
