/**
 * Texts to a stream of Node's kind.
 *
 * @module
 */

/** As much of a writable stream as it takes to write to it. */
export interface TextSink {
  /** Whether the stream is neither broken nor at its end. */
  readonly writable: boolean;
  /** How much was written and is not handed over. */
  readonly writableLength: number;
  /**
   * Writes a text, and calls back once it is handed over or cannot be: later, or before it returns. Returns whether there
   * is room for more.
   */
  write(text: string, done: (error?: Error | null) => void): unknown;
}

/**
 * Writes a text. Returns nothing when the system has taken it at once, as it mostly does: a promise for each text takes
 * more steps than the writing. Otherwise the promise resolves once the text is handed over.
 *
 * @param stream where the text goes
 * @param text what is written
 */
export function writeText(stream: TextSink, text: string): Promise<void> | undefined {
  let outcome: { readonly error?: Error | null | undefined } | undefined;
  let settle = (error?: Error | null): void => void (outcome = { error });
  const hasRoom = stream.write(text, (error) => settle(error));
  // Bun does not count what waits, but says that there is no room.
  const isTaken = outcome === undefined
    ? hasRoom !== false && stream.writable && stream.writableLength === 0
    : !outcome.error;
  if (isTaken) return undefined;
  return new Promise((resolve, reject) => {
    settle = (error) => error ? reject(error) : resolve();
    if (outcome !== undefined) settle(outcome.error);
  });
}
