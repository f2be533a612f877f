/**
 * Starts, controls and stops the measured processes.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Usage } from "./child_protocol.ts";

/** Returns the command that runs a program from this folder on the current runtime. */
export function commandOf(program: string, args: readonly string[]): [string, string[]] {
  const isSource = import.meta.url.endsWith(".ts");
  // The bundler may put this module into any file, but puts each program into a file with the
  // program's name.
  const path = isSource
    ? fileURLToPath(new URL(`${program}.ts`, import.meta.url))
    : fileURLToPath(new URL(`${program}.js`, BUNDLES));
  if (!("Deno" in globalThis)) return [process.execPath, [path, ...args]];
  const config = fileURLToPath(new URL("../deno.json", import.meta.url));
  const flags = ["--allow-all", "--quiet", "--no-check", "--frozen", `--config=${config}`];
  return ["deno", ["run", ...flags, path, ...args]];
}

const BUNDLES = new URL("./", new URL(process.argv[1] ?? "", "file:"));

/** A measured process. */
export class Subject {
  /** Name of the measured server or client in the tables. */
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  /** Creates a `Subject` for a started process. */
  constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
    if (child.stdout === null) throw new TypeError('"child" must have a piped stdout');
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Starts `child.ts` as a server or as a client. */
  static async start(name: string, ...args: readonly string[]): Promise<Subject> {
    const [command, words] = commandOf("child", args);
    const subject = new Subject(
      name,
      spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] }),
    );
    if (await subject.#readLine() !== "ready") throw new Error(`Cannot start "${name}"`);
    return subject;
  }

  /** Sends a command and returns its result. */
  async ask(command: string, argument?: number): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify([command, argument])}\n`);
    return JSON.parse(await this.#readLine());
  }

  /** Returns the resource usage of the process since its start. */
  async usage(): Promise<Usage> {
    // `child.ts` responds to the `usage` command with a `Usage` object.
    return await this.ask("usage") as Usage;
  }

  /** Returns the processor time that the process uses while `work` runs, in microseconds. */
  async spent(work: () => Promise<unknown>): Promise<number> {
    const before = await this.usage();
    await work();
    return (await this.usage()).cpuUs - before.cpuUs;
  }

  /** Stops the process. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill();
    await exited;
  }

  async #readLine(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done) throw new Error(`Cannot measure "${this.name}": the process exited`);
    return value;
  }
}
