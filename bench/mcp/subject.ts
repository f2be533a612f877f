/**
 * Processes that are measured, seen from the one that measures.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Usage } from "./child_protocol.ts";

/** A command line that runs a program of this folder, on the runtime that this runs on. */
export function commandOf(program: string, args: readonly string[]): [string, string[]] {
  const isSource = import.meta.url.endsWith(".ts");
  // A bundle of this file may be anywhere in the folder of bundles, the programs are where they are in this one.
  const path = isSource
    ? fileURLToPath(new URL(`${program}.ts`, import.meta.url))
    : fileURLToPath(new URL(`${program}.js`, BUNDLES));
  if (!("Deno" in globalThis)) return [process.execPath, [path, ...args]];
  const config = fileURLToPath(new URL("../deno.json", import.meta.url));
  const flags = ["--allow-all", "--quiet", "--no-check", "--frozen", `--config=${config}`];
  return ["deno", ["run", ...flags, path, ...args]];
}

const BUNDLES = new URL("./", new URL(process.argv[1] ?? "", "file:"));

/** A process that is measured. */
export class Subject {
  /** What to call it in tables. */
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  /** Takes over a process that has been started. */
  constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
    if (child.stdout === null) throw new TypeError("Cannot hear a process: it has no output");
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** Starts a role of `child.ts`. */
  static async start(name: string, ...args: readonly string[]): Promise<Subject> {
    const [command, words] = commandOf("child", args);
    const subject = new Subject(
      name,
      spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] }),
    );
    if (await subject.#readLine() !== "ready") throw new Error(`Cannot start "${name}"`);
    return subject;
  }

  /** Lets it do something; resolves with what it answers. */
  async ask(command: string, argument?: number): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify([command, argument])}\n`);
    return JSON.parse(await this.#readLine());
  }

  /** What it has used so far. */
  async usage(): Promise<Usage> {
    // What `child.ts` answers to this.
    return await this.ask("usage") as Usage;
  }

  /** The microseconds of processors that it spends while something goes on. */
  async spent(work: () => Promise<unknown>): Promise<number> {
    const before = await this.usage();
    await work();
    return (await this.usage()).cpuUs - before.cpuUs;
  }

  /** Ends it. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill();
    await exited;
  }

  async #readLine(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done) throw new Error(`Cannot measure "${this.name}": it has ended`);
    return value;
  }
}
