/**
 * The dead letters of a queue in memory.
 *
 * @module
 */

import { LinkedList, type ListEntry } from "@parley/internal/linked-list";
import { Quota } from "@parley/internal/quota";
import { type MessageIdentity, MessageSet } from "./message_set.ts";

/** Limits of {@linkcode MemoryDeadLetters}. */
export interface DeadLetterLimits {
  readonly maxDeadLetters: number;
  readonly maxDeadLetterBytes: number;
  readonly maxDeadLetterShare: number;
}

/** A dead letter with the members that the limits depend on. */
export interface LimitedLetter extends MessageIdentity {
  /** Party of the sender that the message names. The sender is not verified. */
  readonly party: string;
  readonly inbox: string;
  /** Reason why the message became a dead letter. */
  readonly reason: string;
  /** Whether the message became a dead letter because it was not verified. */
  readonly isUnverified: boolean;
}

/**
 * The dead letters of all inboxes. If a limit is reached, the oldest dead letter is dropped: of the
 * same party, preferably with the same reason, if its share is used up, otherwise of all parties.
 * Dead letters therefore never use capacity that live messages need, and a party can drop only few
 * dead letters of others. The limits apply separately to messages that failed verification: forged
 * messages in the name of a sender do not drop its own dead letters.
 */
export class MemoryDeadLetters<Letter extends LimitedLetter> {
  /** The dead letters, the oldest first. */
  readonly #all = new Set<Letter>();
  readonly #messages = new MessageSet();
  readonly #verified: Account<Letter>;
  readonly #unverified: Account<Letter>;

  constructor(limits: DeadLetterLimits) {
    this.#verified = new Account(limits);
    this.#unverified = new Account(limits);
  }

  has(message: MessageIdentity): boolean {
    return this.#messages.has(message);
  }

  /**
   * Adds a dead letter. Returns the dead letters that were dropped, which can include the new one.
   */
  add(letter: Letter): readonly Letter[] {
    this.#all.add(letter);
    this.#messages.add(letter);
    const dropped = this.#accountOf(letter).add(letter);
    for (const each of dropped) this.#forget(each);
    return dropped;
  }

  /** Returns the dead letters of an inbox, the oldest first. */
  list(inbox: string, limit: number): readonly Letter[] {
    const letters: Letter[] = [];
    for (const letter of this.#all) {
      if (letters.length >= limit) break;
      if (letter.inbox === inbox) letters.push(letter);
    }
    return letters;
  }

  delete(letter: Letter): void {
    if (!this.#all.has(letter)) return;
    this.#accountOf(letter).delete(letter);
    this.#forget(letter);
  }

  #accountOf({ isUnverified }: Letter): Account<Letter> {
    return isUnverified ? this.#unverified : this.#verified;
  }

  #forget(letter: Letter): void {
    this.#all.delete(letter);
    this.#messages.delete(letter);
  }
}

/** The entries of a dead letter in the lists of an account. */
interface Entries<Letter> {
  readonly inAll: ListEntry<Letter>;
  readonly inOwn: ListEntry<Letter>;
}

/** Dead letters that share their limits. */
class Account<Letter extends LimitedLetter> {
  readonly #count: Quota;
  readonly #bytes: Quota;
  readonly #entries = new Map<Letter, Entries<Letter>>();
  /** The dead letters, the oldest first. */
  readonly #all = new LinkedList<Letter>();
  /** Dead letters of each party, the oldest first. */
  readonly #byParty = new Map<string, LinkedList<Letter>>();

  constructor({ maxDeadLetters, maxDeadLetterBytes, maxDeadLetterShare }: DeadLetterLimits) {
    this.#count = new Quota(maxDeadLetters, maxDeadLetterShare);
    this.#bytes = new Quota(maxDeadLetterBytes, maxDeadLetterShare);
  }

  /** Adds a dead letter. Returns the dead letters that do not fit. */
  add(letter: Letter): readonly Letter[] {
    const dropped: Letter[] = [];
    const { party } = letter;
    while (!this.#fits(letter, party)) {
      const oldest = this.#fits(letter, undefined)
        ? this.#oldestOwn(letter)
        : this.#all.first?.value;
      if (oldest === undefined) return [...dropped, letter];
      this.delete(oldest);
      dropped.push(oldest);
    }
    this.#take(letter, 1);
    const own = this.#byParty.get(party) ?? new LinkedList();
    this.#byParty.set(party, own);
    this.#entries.set(letter, { inAll: this.#all.push(letter), inOwn: own.push(letter) });
    return dropped;
  }

  delete(letter: Letter): void {
    const entries = this.#entries.get(letter);
    if (entries === undefined) return;
    this.#entries.delete(letter);
    this.#take(letter, -1);
    this.#all.remove(entries.inAll);
    const own = this.#byParty.get(letter.party);
    own?.remove(entries.inOwn);
    if (own?.first === undefined) this.#byParty.delete(letter.party);
  }

  #fits({ json }: Letter, party: string | undefined): boolean {
    return this.#count.has(1, party) && this.#bytes.has(json.length, party);
  }

  #take({ party, json }: Letter, factor: 1 | -1): void {
    this.#count.take(factor, party);
    this.#bytes.take(factor * json.length, party);
  }

  /**
   * Returns the oldest dead letter of the same sender and with the same reason, or else the oldest
   * one of the sender: many messages that fail for one reason do not drop those that fail for
   * another reason.
   */
  #oldestOwn({ party, reason }: Letter): Letter | undefined {
    const oldest = this.#byParty.get(party)?.first;
    for (let entry = oldest; entry !== undefined; entry = entry.next) {
      if (entry.value.reason === reason) return entry.value;
    }
    return oldest?.value;
  }
}
