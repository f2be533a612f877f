/**
 * An MCP server over HTTP that the kit starts itself, and starts again when it has died.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import type { Exit } from "../platform/child_process.ts";
import { connectTcp, freePort } from "../platform/net.ts";
import { type LineProcess, startLineProcess } from "./line_process.ts";
import type { ProcessGroups } from "./process_groups.ts";

/** How to start a server; `{port}` stands for a free port in both. */
export interface ManagedHttpServerOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Where it then is. */
  readonly url: string;
}

const START_MS = 20_000;
const PAUSE_MS = 20;

/**
 * Starts a server and waits until it listens.
 *
 * @throws {KitError} `subject_start` when it does not
 */
export async function startManagedHttpServer(
  { command, url }: ManagedHttpServerOptions,
  groups: ProcessGroups,
): Promise<ManagedHttpServer> {
  const port = await freePort();
  const substitute = (text: string): string => text.replaceAll("{port}", String(port));
  const host = new ManagedHttpServer(command.map(substitute), substitute(url), groups);
  await host.revive();
  return host;
}

/** A server under watch. */
export class ManagedHttpServer {
  /** Its address. */
  readonly url: string;
  readonly #command: readonly string[];
  readonly #groups: ProcessGroups;
  #process: LineProcess | undefined;
  #exit: Exit | undefined;

  /** Makes one that does not run yet; use {@linkcode startManagedHttpServer}. */
  constructor(command: readonly string[], url: string, groups: ProcessGroups) {
    this.#command = command;
    this.url = url;
    this.#groups = groups;
  }

  /** How it ended, or undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** The last lines of its standard error. */
  errorTail(): string {
    return this.#process?.errorTail() ?? "";
  }

  /** Starts it unless it runs. */
  async revive(): Promise<void> {
    if (this.#process !== undefined && this.#exit === undefined) return;
    this.#exit = undefined;
    try {
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
    } catch (cause) {
      throw this.#notStarted(cause instanceof Error ? cause.message : String(cause), cause);
    }
    await this.#listening();
  }

  /** Ends it. */
  async close(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.kill();
  }

  async #listening(): Promise<void> {
    const { port, protocol } = new URL(this.url);
    const until = performance.now() + START_MS;
    while (this.#exit === undefined && performance.now() < until) {
      try {
        const connection = await connectTcp(Number(port || (protocol === "https:" ? 443 : 80)));
        return connection.destroy();
      } catch {
        // Not there yet.
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
    const reason = this.#exit === undefined
      ? "no program listens at the URL"
      : "the process exited";
    throw this.#notStarted(`${reason}\n${this.errorTail()}`.trimEnd());
  }

  #notStarted(reason: string, cause?: unknown): KitError {
    const message = `Cannot start "${this.#command.join(" ")}": ${reason}`;
    return new KitError(KitErrorCode.SubjectStart, message, { cause });
  }
}
