/**
 * Temporary copies of the Parley libraries to which mutants are applied.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import {
  copyFolder,
  deleteFolder,
  makeFolder,
  makeTemporaryFolder,
  readText,
  writeText,
} from "../../conformance/platform/fs.ts";
import { runtimeCommand } from "../../conformance/platform/process.ts";
import type { DriverSubject } from "../../conformance/runner/driver_executor.ts";
import { ownSubject } from "../../conformance/runner/subject.ts";

/** A fault in a library file. */
export interface MemberMutant {
  /** Mutant id. */
  readonly id: string;
  /** Description of the fault. */
  readonly title: string;
  /** Path relative to the root of the repository. */
  readonly file: string;
  /** Text to replace, which must occur exactly once in the file. */
  readonly find: string;
  /** Replacement text. */
  readonly replace: string;
  /**
   * Ids of cases. At least one of the cases must fail with the mutant, unless the list is empty.
   */
  readonly kills: readonly string[];
  /** Rows of vector cases that must all fail with the mutant; see `formatRow`. */
  readonly rows: readonly string[];
}

/** Files and folders that the drivers for the Parley libraries need. */
const PARTS = [
  "deno.json",
  "deno.lock",
  "tools/offline",
  "internal",
  "comm",
  "runtime",
  "mcp",
  "conformance/deno.json",
  "conformance/drivers/typescript",
  "examples/everything_server",
];

/** Root of the repository. */
export const REPOSITORY: URL = new URL("../../", import.meta.url);

/** Connections to the libraries of this repository, or to a copy of them. */
export interface OwnSubject extends ReturnType<typeof ownSubject> {
  /** Returns the driver that runs the cases of some libraries and starts fastest. */
  readonly driverOf: (libraries: ReadonlySet<string>) => DriverSubject;
}

/** Returns the connections to the Parley libraries in a folder. */
export function subjectBelow(root: string): OwnSubject {
  const folder = `${root.replace(/\/$/, "")}/conformance/drivers/typescript`;
  const own = ownSubject(folder);
  return {
    ...own,
    driverOf: (libraries) => {
      const [library] = libraries;
      if (libraries.size !== 1) return own.driver;
      return { ...own.driver, command: runtimeCommand(`${folder}/parley_${library}.ts`) };
    },
  };
}

/** Copies the files that the drivers need to a temporary folder. */
export async function copyWorkspace(repository: URL): Promise<Workspace> {
  const root = await makeTemporaryFolder();
  await makeFolder(`${root}/tools`);
  await makeFolder(`${root}/conformance/drivers`);
  await makeFolder(`${root}/examples`);
  for (const part of PARTS) await copyFolder(new URL(part, repository), `${root}/${part}`);
  return new Workspace(root);
}

/** A copy of the libraries. */
export class Workspace {
  /** Path to the folder. */
  readonly root: string;

  /**
   * Creates a `Workspace` for an existing folder. Use {@linkcode copyWorkspace} to create a copy.
   */
  constructor(root: string) {
    this.root = root;
  }

  /**
   * Calls a function while a mutant is applied.
   *
   * @throws {KitError} With code `bad_file` if the mutant's `find` does not occur exactly once in
   * its file.
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

  /** Calls {@linkcode Workspace.close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function stale({ id, file }: MemberMutant, reason: string): KitError {
  return new KitError(KitErrorCode.BadFile, `Cannot apply mutant ${id} to ${file}: ${reason}`);
}
