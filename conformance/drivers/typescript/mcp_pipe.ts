/**
 * `mcp` operations on servers that are served over lines, implemented with `@parley/mcp`.
 *
 * @module
 */

import { type McpServer, serveStdio } from "@parley/mcp/server";
import { BadArgs, type Fields, fieldsOf, type Operation } from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const PIPE_OPS: Readonly<Record<string, Operation>> = {
  "mcp.pipe.feed": ({ args, on }) => {
    const piped = pipedOf(on);
    for (const message of Array.isArray(args.messages) ? args.messages : []) {
      piped.feed(typeof message === "string" ? message : JSON.stringify(message));
    }
    if (args.end === true) piped.feed(null);
  },
  "mcp.pipe.take": async ({ args, on }) => ({
    messages: await pipedOf(on).take(Number(args.count)),
  }),
  "mcp.pipe.stop": ({ on }) => pipedOf(on).stop(),
  "mcp.pipe.ended": async ({ on }) => {
    await pipedOf(on).ended;
  },
};

/** A server that is served over lines. */
export class Piped {
  readonly ended: Promise<void>;
  readonly #lines: (string | null)[] = [];
  readonly #written: unknown[] = [];
  readonly #output: unknown;
  readonly #controller = new AbortController();
  #onLine: () => void = () => {};
  #onWrite: () => void = () => {};
  #onRead: () => void = () => {};

  constructor(server: McpServer, args: Fields) {
    this.#output = args.output;
    if (args.stopped === true) this.stop();
    this.ended = serveStdio(server, {
      ...fieldsOf(args, "options"),
      signal: this.#controller.signal,
      reader: { readLine: () => this.#readLine() },
      writer: {
        writeLine: (line) => this.#writeLine(line),
      },
    });
    // The operation `mcp.pipe.ended` reports the error.
    this.ended.catch(() => {});
  }

  /** Adds a line, or `null` for the end of the input. */
  feed(line: string | null): void {
    this.#lines.push(line);
    this.#onLine();
  }

  /** Aborts the signal that stops serving. */
  stop(): void {
    this.#controller.abort();
  }

  /** Waits for a number of messages from the server, and removes them. */
  async take(count: number): Promise<readonly unknown[]> {
    while (this.#written.length < count) {
      const written = new Promise<void>((resolve) => this.#onWrite = resolve);
      this.#onRead();
      await written;
    }
    this.#onRead();
    return this.#written.splice(0);
  }

  /**
   * Writes a line. If the output is held, the line is written when the next call to `take()` reads
   * it.
   */
  #writeLine(line: string): Promise<void> {
    if (this.#output === "broken") return Promise.reject(new Error("the output is broken"));
    this.#written.push(JSON.parse(line));
    this.#onWrite();
    if (this.#output !== "held") return Promise.resolve();
    return new Promise((resolve) => this.#onRead = resolve);
  }

  async #readLine(): Promise<string | null> {
    while (this.#lines.length === 0) {
      await new Promise<void>((resolve) => this.#onLine = resolve);
    }
    return this.#lines.shift() ?? null;
  }
}

function pipedOf(on: unknown): Piped {
  if (on instanceof Piped) return on;
  throw new BadArgs('"on" must be the handle of a pipe');
}
