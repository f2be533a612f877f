/**
 * Runs a command and returns its output.
 *
 * @module
 */

import { startChild } from "../../conformance/platform/child_process.ts";

/** Exit code and output of a command. */
export interface CommandOutput {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command until it exits.
 *
 * @param command The program and its arguments.
 */
export async function readOutput(command: readonly string[]): Promise<CommandOutput> {
  const [out, err] = [new TextCollector(), new TextCollector()];
  const child = await startChild(command, {
    onOutput: (chunk) => out.add(chunk),
    onErrorOutput: (chunk) => err.add(chunk),
  });
  child.closeInput();
  const { code } = await child.exited;
  return { code, out: out.text(), err: err.text() };
}

/** Decodes chunks of UTF-8 text. */
class TextCollector {
  readonly #decoder = new TextDecoder();
  #text = "";

  add(chunk: Uint8Array): void {
    this.#text += this.#decoder.decode(chunk, { stream: true });
  }

  text(): string {
    return this.#text + this.#decoder.decode();
  }
}
