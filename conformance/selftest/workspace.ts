/**
 * Temporary copies of the members, to be broken one fault at a time.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import {
  copyFolder,
  deleteFolder,
  makeFolder,
  makeTemporaryFolder,
  readText,
  writeText,
} from "../platform/fs.ts";
import { ownSubject } from "../runner/subject.ts";

/** A fault to be written into a member's file. */
export interface MemberMutant {
  /** Its id. */
  readonly id: string;
  /** What goes wrong. */
  readonly title: string;
  /** Path below the repository's root. */
  readonly file: string;
  /** Text that the file holds exactly once. */
  readonly find: string;
  /** What stands there in the mutant. */
  readonly replace: string;
  /** Ids of the cases that must fail. */
  readonly kills: readonly string[];
}

/** What a copy needs of the repository for our drivers to run. */
const PARTS = [
  "deno.json",
  "deno.lock",
  "tools/offline",
  "tools/lint_plugin.ts",
  "comm",
  "runtime",
  "mcp",
  "conformance/deno.json",
  "conformance/drivers/typescript",
  "examples/everything_server",
];

/** The repository that this kit is part of; undefined for a published kit. */
export async function findRepository(): Promise<URL | undefined> {
  const root = new URL("../../", import.meta.url);
  if (root.protocol !== "file:") return undefined;
  return await readText(new URL("comm/deno.json", root)) === undefined ? undefined : root;
}

/** The ways to reach our own libraries below a folder. */
export function subjectBelow(root: string): ReturnType<typeof ownSubject> {
  return ownSubject(`${root.replace(/\/$/, "")}/conformance/drivers/typescript`);
}

/** Copies what our drivers need into a temporary folder. */
export async function copyWorkspace(repository: URL): Promise<Workspace> {
  const root = await makeTemporaryFolder();
  await makeFolder(`${root}/tools`);
  await makeFolder(`${root}/conformance/drivers`);
  await makeFolder(`${root}/examples`);
  for (const part of PARTS) await copyFolder(new URL(part, repository), `${root}/${part}`);
  return new Workspace(root);
}

/** A copy of the members. */
export class Workspace {
  /** The folder. */
  readonly root: string;

  /** Takes over a folder; use {@linkcode copyWorkspace}. */
  constructor(root: string) {
    this.root = root;
  }

  /**
   * Does something while a mutant is in place.
   *
   * @throws {KitError} `bad_file` when the mutant's `find` is not in its file exactly once
   */
  async withMutant<T>(mutant: MemberMutant, act: (root: string) => Promise<T>): Promise<T> {
    const path = `${this.root}/${mutant.file}`;
    const original = await readText(path);
    if (original === undefined) throw stale(mutant, "no such file");
    const count = original.split(mutant.find).length - 1;
    if (count !== 1) throw stale(mutant, `"find" occurs ${count} times, expected once`);
    await writeText(path, original.replace(mutant.find, () => mutant.replace));
    try {
      return await act(this.root);
    } finally {
      await writeText(path, original);
    }
  }

  /** Deletes the folder. */
  async close(): Promise<void> {
    await deleteFolder(this.root);
  }

  /** The same as {@linkcode Workspace.close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function stale({ id, file }: MemberMutant, reason: string): KitError {
  return new KitError(KitErrorCode.BadFile, `Cannot apply mutant ${id} to ${file}: ${reason}`);
}
