/**
 * The inboxes of a queue.
 *
 * @module
 */

import { CommError } from "../shared/error.ts";

/** Inboxes that are created on first use, up to a maximum number. */
export class Inboxes<Inbox> {
  readonly #opened = new Map<string, Promise<Inbox>>();
  readonly #maxInboxes: number;
  readonly #create: (name: string) => Promise<Inbox>;

  constructor(maxInboxes: number, create: (name: string) => Promise<Inbox>) {
    this.#maxInboxes = maxInboxes;
    this.#create = create;
  }

  /**
   * Returns an inbox. If an inbox cannot be created, the next call tries again.
   *
   * @throws {CommError} With code `capacity_exceeded` if the maximum number of inboxes is reached.
   */
  open(name: string): Promise<Inbox> {
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    if (this.#opened.size >= this.#maxInboxes) throw tooManyInboxes(name, this.#maxInboxes);
    const opening = this.#create(name);
    this.#opened.set(name, opening);
    opening.catch(() => this.#opened.delete(name));
    return opening;
  }
}

/** Creates the error for an inbox beyond the maximum number of inboxes. */
export function tooManyInboxes(name: string, capacity: number): CommError {
  return new CommError({
    code: "capacity_exceeded",
    details: { capacity },
    message:
      `Cannot use inbox "${name}": "maxInboxes" is ${capacity}; map several DIDs to one inbox`,
  });
}
