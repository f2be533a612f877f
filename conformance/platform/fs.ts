/**
 * File access. The only module that imports `node:fs/promises`.
 *
 * @module
 */

import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { KitError, KitErrorCode } from "../kit/error.ts";

/**
 * Reads a text file. Returns `undefined` if the file does not exist.
 *
 * @throws {KitError} With code `bad_file` if the file is not readable.
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
 * Writes a text file, replacing an existing file.
 *
 * @throws {KitError} With code `bad_file` if the file is not writable.
 */
export async function writeText(path: string | URL, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw toKitError("write", path, cause);
  }
}

/**
 * Appends text to a file.
 *
 * @throws {KitError} With code `bad_file` if the file is not writable.
 */
export async function appendText(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text);
  } catch (cause) {
    throw toKitError("write", path, cause);
  }
}

/**
 * Checks that the folder of a file exists, and that the path of the file is not a folder. Call this
 * function before a long operation whose result is written to the file.
 *
 * @throws {KitError} With code `bad_file` if the check fails.
 */
export async function checkTarget(path: string): Promise<void> {
  try {
    // A path that does not exist is not a folder.
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) throw new Error("is a folder");
    if (found === undefined) await readdir(dirname(path));
  } catch (cause) {
    throw toKitError("write", path, cause);
  }
}

/** Returns the path to the folder that contains a file. */
export function folderOf(path: string): string {
  return dirname(path);
}

/** Returns `true` if a folder or one of its parents contains a file. */
export async function hasFileAbove(folder: string, name: string): Promise<boolean> {
  const full = resolve(folder);
  if (await readText(join(full, name)) !== undefined) return true;
  const parent = dirname(full);
  return parent !== full && await hasFileAbove(parent, name);
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "no such folder",
  ENOTDIR: "its parent is not a folder",
  EEXIST: "is not a folder",
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

/** Returns true if a folder is empty or does not exist. */
export async function isEmptyFolder(path: string): Promise<boolean> {
  try {
    return (await readdir(path)).length === 0;
  } catch {
    // A folder that does not exist counts as empty.
    return true;
  }
}

/**
 * Creates a folder and its parents.
 *
 * @throws {KitError} With code `bad_file` if the folder cannot be created.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    throw toKitError("write", path, cause);
  }
}

/** Copies a folder recursively. */
export async function copyFolder(from: string | URL, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
}

/** Creates a temporary folder. */
export async function makeTemporaryFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "parley-kit-"));
}

/** Deletes a folder recursively. */
export async function deleteFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
