/**
 * An MCP server over HTTP that the kit starts and restarts after a crash.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import type { Exit } from "../platform/child_process.ts";
import { connectTcp, startOnFreePort } from "../platform/net.ts";
import { type LineProcess, startLineProcess } from "./line_process.ts";
import type { ProcessGroups } from "./process_groups.ts";

/**
 * Options for {@linkcode startManagedHttpServer}. `{port}` in the command and the URL is replaced
 * with a free port.
 */
export interface ManagedHttpServerOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** URL of the server. */
  readonly url: string;
  /** Time allowed for the server to start, in milliseconds. */
  readonly startMs: number;
}

const PAUSE_MS = 20;

/**
 * Starts a server and waits until it listens.
 *
 * @throws {KitError} With code `subject_start` if the server does not listen in time.
 */
export async function startManagedHttpServer(
  { command, url, startMs }: ManagedHttpServerOptions,
  groups: ProcessGroups,
): Promise<ManagedHttpServer> {
  return await startOnFreePort(async (port) => {
    const substitute = (text: string): string => text.replaceAll("{port}", String(port));
    const options = { command: command.map(substitute), url: substitute(url), startMs };
    const host = new ManagedHttpServer(options, groups);
    await host.revive();
    return host;
  });
}

/** A server process. */
export class ManagedHttpServer {
  /** URL of the server. */
  readonly url: string;
  readonly #command: readonly string[];
  readonly #startMs: number;
  readonly #groups: ProcessGroups;
  #process: LineProcess | undefined;
  #exit: Exit | undefined;

  /**
   * Creates a server that is not running yet. Use {@linkcode startManagedHttpServer} to start a
   * server.
   */
  constructor({ command, url, startMs }: ManagedHttpServerOptions, groups: ProcessGroups) {
    this.#command = command;
    this.#startMs = startMs;
    this.url = url;
    this.#groups = groups;
  }

  /** Exit status of the process, or `undefined` while it is running. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Starts a case: {@linkcode errorExcerpt} omits the output of earlier cases. */
  beginCase(): void {
    this.#process?.beginCase();
  }

  /** Excerpt from standard error since the last case started. */
  errorExcerpt(): string {
    return this.#process?.errorExcerpt() ?? "";
  }

  /** Starts the process if it is not running. */
  async revive(): Promise<void> {
    if (this.#process !== undefined && this.#exit === undefined) return;
    this.#exit = undefined;
    const process = await startLineProcess({
      command: this.#command,
      groups: this.#groups,
      onLine: () => {},
      onOverflow: () => {},
    });
    this.#process = process;
    process.exited.then((exit) => {
      if (this.#process === process) this.#exit = exit;
    });
    await this.#listening();
  }

  /** Kills the process. */
  async close(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.kill();
  }

  async #listening(): Promise<void> {
    const { port, protocol } = new URL(this.url);
    const until = performance.now() + this.#startMs;
    while (this.#exit === undefined && performance.now() < until) {
      try {
        const connection = await connectTcp(Number(port || (protocol === "https:" ? 443 : 80)));
        return connection.destroy();
      } catch {
        // A connection error means that the server is not listening yet.
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
    const reason = this.#exit === undefined
      ? `no program is listening at the URL within ${this.#startMs} ms`
      : "the process exited";
    const message = `Cannot start "${this.#command.join(" ")}": ${reason}\n${this.errorExcerpt()}`;
    await this.close();
    throw new KitError(KitErrorCode.SubjectStart, message.trimEnd());
  }
}
