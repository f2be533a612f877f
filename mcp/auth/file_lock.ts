/**
 * Locks between processes, as files in a folder, for Node.js 22.13 or later, Deno and Bun.
 *
 * A lock is a sequence of files with the names `NAME.1`, `NAME.2` and so on. The file with the
 * highest number belongs to the holder. It describes the holder's process, and is empty after the
 * holder has released the lock. To acquire the lock, a process creates the file with the next
 * number, which only one process can do. The last file is never deleted, so that a process that has
 * read old files cannot create a file with the highest number. A lock file that processes delete
 * and create again does not have this property: a process could delete the file of a new holder,
 * which it believes to be the file of a dead holder.
 *
 * @module
 */

import {
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  truncate,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { sleep } from "@parley/internal/timers";
import { parseObject } from "./parse_object.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";

/** Delays between two attempts to acquire a lock, in milliseconds. */
const MIN_DELAY_MS = 10;
const MAX_DELAY_MS = 200;

/** Highest number of a lock file. No sequence of holders reaches this number. */
const MAX_GENERATION = 999_999_999_999_999;

/** A lock that this process holds. */
export interface HeldLock extends AsyncDisposable {
  /** Number of the holder's file, which is higher than that of each earlier holder. */
  readonly generation: number;
  /** Returns `true` if no other process has acquired the lock since. */
  isHeld(): Promise<boolean>;
}

/** The file with the highest number, as a waiting process has seen it. */
interface Observation {
  readonly generation: number;
  readonly text: string;
  readonly changedMs: number;
  /** Time of the first observation, in milliseconds of this process's monotonic clock. */
  readonly since: number;
}

/** A lock in a folder. */
export class FileLock {
  readonly #folder: string;
  readonly #name: string;
  readonly #staleMs: number;

  /**
   * @param folder Folder of the lock files, which is created if it does not exist.
   * @param name Beginning of the names of the lock files, without a period.
   * @param staleMs Time after which an unchanged lock of another host or an unresponsive process is
   * taken, in milliseconds. The holder touches its file three times as often.
   */
  constructor(folder: string, name: string, staleMs: number) {
    this.#folder = folder;
    this.#name = name;
    this.#staleMs = staleMs;
  }

  /**
   * Waits until no living process holds the lock, and acquires it.
   *
   * @throws The signal's reason if the signal is aborted.
   * @throws {Error} If a file has the highest number, so that no file can follow.
   */
  async acquire(signal: AbortSignal): Promise<HeldLock> {
    signal.throwIfAborted();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const place = await findPlace();
    let seen: Observation | undefined;
    for (let delayMs = MIN_DELAY_MS;; delayMs = Math.min(delayMs * 1.5, MAX_DELAY_MS)) {
      signal.throwIfAborted();
      seen = await this.#observe(seen);
      if (seen.generation >= MAX_GENERATION) {
        throw new Error(
          `the lock files in ${quoteUntrusted(this.#folder)} are damaged; delete them`,
        );
      }
      if (this.#isFree(seen, place)) {
        const held = await this.#take(seen.generation + 1, place);
        if (held !== undefined) return held;
        continue;
      }
      await sleep(delayMs, signal);
    }
  }

  async #observe(before: Observation | undefined): Promise<Observation> {
    for (;;) {
      const generation = await this.#findLatest();
      const since = performance.now();
      if (generation === 0) return { generation, text: "", changedMs: 0, since };
      const path = this.#path(generation);
      const seen = await Promise.all([readFile(path, "utf8"), stat(path)]).catch(ignoreMissing);
      // The file is missing if another process has acquired and released the lock in between.
      if (seen === undefined) continue;
      const [text, { mtimeMs: changedMs }] = seen;
      const isSame = before?.generation === generation && before.text === text &&
        before.changedMs === changedMs;
      return isSame ? before : { generation, text, changedMs, since };
    }
  }

  /**
   * The age of a lock is measured with the clock of the waiting process only, because the clocks of
   * other hosts and of file servers can differ.
   */
  #isFree({ text, since }: Observation, place: Place): boolean {
    return text === "" || hasExited(text, place) || performance.now() - since >= this.#staleMs;
  }

  /** Creates the file with the given number. Returns `undefined` if another process has done so. */
  async #take(generation: number, place: Place): Promise<HeldLock | undefined> {
    const path = this.#path(generation);
    const part = `${this.#path(crypto.randomUUID())}.part`;
    try {
      await writeFile(part, JSON.stringify(place), { mode: 0o600, flag: "wx" });
      // The new name appears together with the content, and only if the name does not exist.
      await link(part, path);
    } catch (error) {
      if (["EEXIST", "ENOENT"].includes(codeOf(error))) return undefined;
      throw error;
    } finally {
      await unlink(part).catch(ignoreMissing);
    }
    if (await this.#findLatest() !== generation) {
      await unlink(path).catch(ignoreMissing);
      return undefined;
    }
    await this.#deleteBefore(generation);
    return this.#hold(generation);
  }

  #hold(generation: number): HeldLock {
    const path = this.#path(generation);
    const timer = setInterval(() => {
      const now = new Date();
      // If the file no longer exists, another process has acquired the lock.
      utimes(path, now, now).catch(() => {});
    }, Math.max(this.#staleMs / 3, 1));
    return {
      generation,
      isHeld: async () => await this.#findLatest() === generation,
      [Symbol.asyncDispose]: async () => {
        clearInterval(timer);
        await truncate(path, 0).catch(ignoreMissing);
      },
    };
  }

  async #findLatest(): Promise<number> {
    const numbers = (await this.#list()).map((rest) => /^\d{1,15}$/.test(rest) ? Number(rest) : 0);
    return Math.max(0, ...numbers);
  }

  /**
   * Deletes the files of earlier holders, also those that a holder could not delete or complete.
   */
  async #deleteBefore(generation: number): Promise<void> {
    for (const rest of await this.#list()) {
      const [number = ""] = rest.split(".");
      const isOld = rest.endsWith(".part") || Number(number) < generation;
      // A process that is creating the file tries again. A file that cannot be deleted now is
      // deleted by the next holder.
      if (isOld) await unlink(this.#path(rest)).catch(() => {});
    }
  }

  /** Lists the names of the files of this lock, without the name of the lock. */
  async #list(): Promise<readonly string[]> {
    const prefix = `${this.#name}.`;
    return (await readdir(this.#folder)).flatMap((name) =>
      name.startsWith(prefix) ? [name.slice(prefix.length)] : []
    );
  }

  #path(rest: number | string): string {
    return join(this.#folder, `${this.#name}.${rest}`);
  }
}

/** The process of a holder. `host` is `undefined` if the process cannot be identified. */
interface Place {
  readonly host: string | undefined;
  readonly pid: number;
}

/**
 * Describes this process. On Linux, the host contains the namespace of process ids, because
 * containers on one host can have the same host name and different processes with the same id.
 */
async function findPlace(): Promise<Place> {
  const { pid, platform } = process;
  try {
    const namespace = platform === "linux" ? await readlink("/proc/self/ns/pid") : "";
    return { host: `${hostname()} ${namespace}`, pid };
  } catch {
    // Without the permissions of Deno for both values, locks of dead processes expire after the
    // usual time.
    return { host: undefined, pid };
  }
}

/** Returns `true` if the holder's process ran on this host and no longer exists. */
function hasExited(text: string, { host }: Place): boolean {
  const { host: other, pid } = parseObject(text) ?? {};
  if (host === undefined || other !== host || typeof pid !== "number") return false;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}

/** Returns `undefined` for the error of a file that does not exist. */
export function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
  return undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
