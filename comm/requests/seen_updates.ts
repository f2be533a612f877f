/**
 * Detection of repeated updates of one request.
 *
 * @module
 */

import { readUuidV7Time } from "../shared/uuid.ts";

/** Limits of one of the two sets of ids. */
const MAX_IDS = 256;
const MAX_CHARS = 32_768;

/**
 * The updates that one pending request has received. The memory is bounded, although a request can
 * receive any number of updates: only the ids of the most recent updates are tracked. An update
 * that was created before the tracked ones might be a repetition and is rejected.
 */
export class SeenUpdates {
  #recent = new Set<string>();
  #older: ReadonlySet<string> = new Set();
  /** Total length of the recent ids, in characters. */
  #chars = 0;
  /** Creation time of the newest update whose id is no longer tracked. */
  #untrackedMs = -Infinity;
  /** Whether the id of an update is no longer tracked and contains no time. */
  #hasUntimed = false;

  /**
   * Adds the id of a verified update. Returns `false` if the update is or might be a repetition.
   */
  add(id: string): boolean {
    if (this.#recent.has(id) || this.#older.has(id)) return false;
    const ms = readUuidV7Time(id);
    if (ms === undefined ? this.#hasUntimed : ms <= this.#untrackedMs) return false;
    this.#recent.add(id);
    this.#chars += id.length;
    if (this.#recent.size >= MAX_IDS || this.#chars >= MAX_CHARS) this.#rotate();
    return true;
  }

  /** Stops tracking the older ids. */
  #rotate(): void {
    for (const id of this.#older) {
      const ms = readUuidV7Time(id);
      if (ms === undefined) this.#hasUntimed = true;
      else this.#untrackedMs = Math.max(this.#untrackedMs, ms);
    }
    this.#older = this.#recent;
    this.#recent = new Set();
    this.#chars = 0;
  }
}
