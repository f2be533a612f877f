/**
 * A set of encoded messages.
 *
 * @module
 */

/** The identity of a message. */
export interface MessageIdentity {
  /** Sender and id of the message. Any agent can send a message with the same key. */
  readonly key: string;
  /** The encoded message. */
  readonly json: string;
}

/**
 * Messages by key and content. A forged message has the key of the genuine message, so equal keys
 * alone do not mean that a message is a duplicate.
 */
export class MessageSet {
  readonly #contents = new Map<string, Set<string>>();

  has({ key, json }: MessageIdentity): boolean {
    return this.#contents.get(key)?.has(json) === true;
  }

  add({ key, json }: MessageIdentity): void {
    const contents = this.#contents.get(key) ?? new Set();
    this.#contents.set(key, contents.add(json));
  }

  delete({ key, json }: MessageIdentity): void {
    const contents = this.#contents.get(key);
    contents?.delete(json);
    if (contents?.size === 0) this.#contents.delete(key);
  }
}
