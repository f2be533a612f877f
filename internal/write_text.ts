/**
 * Writes text to a Node.js writable stream.
 *
 * @module
 */

/** The subset of a Node.js writable stream that {@linkcode writeText} uses. */
export interface TextSink {
  /** Whether the stream accepts writes. */
  readonly writable: boolean;
  /** Number of bytes or characters that are buffered but not flushed yet. */
  readonly writableLength: number;
  /**
   * Writes text and calls `done` when the text is flushed or the write fails. `done` can be called
   * before `write()` returns. Returns `false` if the buffer is full.
   */
  write(text: string, done: (error?: Error | null) => void): unknown;
}

/**
 * Writes text. Returns `undefined` if the text was flushed synchronously, which is the usual case
 * and avoids a promise. If the text was not flushed synchronously, returns a promise that resolves
 * when the text is flushed and rejects if the write fails.
 *
 * @param stream Destination stream.
 * @param text Text to write.
 */
export function writeText(stream: TextSink, text: string): Promise<void> | undefined {
  let outcome: { readonly error?: Error | null | undefined } | undefined;
  let settle = (error?: Error | null): void => void (outcome = { error });
  const hasRoom = stream.write(text, (error) => settle(error));
  // Bun does not report buffered text in `writableLength`, only in the return value of `write()`.
  const isTaken = outcome === undefined
    ? hasRoom !== false && stream.writable && stream.writableLength === 0
    : !outcome.error;
  if (isTaken) return undefined;
  return new Promise((resolve, reject) => {
    settle = (error) => error ? reject(error) : resolve();
    if (outcome !== undefined) settle(outcome.error);
  });
}
