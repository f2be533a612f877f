/**
 * The dead letters of a queue in memory.
 *
 * @module
 */

import { Quota } from "@parley/internal/quota";

/** Limits of {@linkcode MemoryDeadLetters}. */
export interface DeadLetterLimits {
  readonly maxDeadLetters: number;
  readonly maxDeadLetterBytes: number;
  readonly maxDeadLetterShare: number;
}

/** A dead letter with the members that the limits depend on. */
export interface LimitedLetter {
  /** Key of the message. */
  readonly key: string;
  /** The sender that the message names. The sender is not verified. */
  readonly sender: string;
  readonly inbox: string;
  readonly json: string;
}

/**
 * The dead letters of all inboxes. If a limit is reached, the oldest dead letter is dropped: of the
 * same sender if its share is used up, otherwise of all senders. Dead letters therefore never use
 * capacity that live messages need, and a sender can drop only few dead letters of others.
 */
export class MemoryDeadLetters<Letter extends LimitedLetter> {
  readonly #count: Quota;
  readonly #bytes: Quota;
  /** Dead letters by key, the oldest first. */
  readonly #all = new Map<string, Letter>();
  /** Dead letters of each sender, the oldest first. */
  readonly #bySender = new Map<string, Set<Letter>>();

  constructor({ maxDeadLetters, maxDeadLetterBytes, maxDeadLetterShare }: DeadLetterLimits) {
    this.#count = new Quota(maxDeadLetters, maxDeadLetterShare);
    this.#bytes = new Quota(maxDeadLetterBytes, maxDeadLetterShare);
  }

  has(key: string): boolean {
    return this.#all.has(key);
  }

  /**
   * Adds a dead letter. Returns the dead letters that were dropped, which can include the new one.
   */
  add(letter: Letter): readonly Letter[] {
    const dropped: Letter[] = [];
    const { sender } = letter;
    while (!this.#fits(letter, sender)) {
      const oldest = this.#oldest(this.#fits(letter, undefined) ? sender : undefined);
      if (oldest === undefined) return [...dropped, letter];
      this.delete(oldest);
      dropped.push(oldest);
    }
    this.#take(letter, 1);
    this.#all.set(letter.key, letter);
    const own = this.#bySender.get(sender) ?? new Set();
    this.#bySender.set(sender, own.add(letter));
    return dropped;
  }

  /** Returns the dead letters of an inbox, the oldest first. */
  list(inbox: string, limit: number): readonly Letter[] {
    const letters: Letter[] = [];
    for (const letter of this.#all.values()) {
      if (letters.length >= limit) break;
      if (letter.inbox === inbox) letters.push(letter);
    }
    return letters;
  }

  delete(letter: Letter): void {
    if (!this.#all.delete(letter.key)) return;
    this.#take(letter, -1);
    const own = this.#bySender.get(letter.sender);
    own?.delete(letter);
    if (own?.size === 0) this.#bySender.delete(letter.sender);
  }

  #fits({ json }: Letter, sender: string | undefined): boolean {
    return this.#count.has(1, sender) && this.#bytes.has(json.length, sender);
  }

  #take({ sender, json }: Letter, factor: 1 | -1): void {
    this.#count.take(factor, sender);
    this.#bytes.take(factor * json.length, sender);
  }

  #oldest(sender: string | undefined): Letter | undefined {
    const letters = sender === undefined ? this.#all.values() : this.#bySender.get(sender);
    for (const letter of letters ?? []) return letter;
    return undefined;
  }
}
