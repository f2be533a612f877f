/**
 * Starts, controls and stops the measured processes.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onProcessor, Processor } from "./affinity.ts";
import type { Usage } from "./child_protocol.ts";

/** A runtime that runs a measured process. */
export type ProcessRuntime = "deno" | "node";

const CURRENT_RUNTIME: ProcessRuntime = "Deno" in globalThis ? "deno" : "node";

/** Name of the environment variable that contains the path to Node.js. */
const NODE = "PARLEY_BENCH_NODE";

/** Folder of the bundles that run on Node.js. */
const BUNDLES = import.meta.url.endsWith(".ts")
  ? new URL("../node_modules/.bench/mcp/", import.meta.url)
  : new URL("./", new URL(process.argv[1] ?? "", "file:"));

/** Where a program runs. */
export interface ProgramOptions {
  /** Runtime of the process. If omitted, the process runs on the current runtime. */
  readonly runtime?: ProcessRuntime | undefined;
  /** Processor of the process. If omitted, the process runs on that of the measured processes. */
  readonly processor?: Processor;
}

/** Returns the command that runs a program from this folder. */
export function commandOf(
  program: string,
  args: readonly string[],
  { runtime = CURRENT_RUNTIME, processor = Processor.Measured }: ProgramOptions = {},
): [string, string[]] {
  return onProcessor(processor, ...unboundCommandOf(program, args, runtime));
}

function unboundCommandOf(
  program: string,
  args: readonly string[],
  runtime: ProcessRuntime,
): [string, string[]] {
  if (runtime === "node") {
    // The bundler may put this module into any file, but puts each program into a file with the
    // program's name.
    const path = fileURLToPath(new URL(`${program}.js`, BUNDLES));
    return [process.env[NODE] ?? process.execPath, [path, ...args]];
  }
  const path = fileURLToPath(new URL(`${program}.ts`, import.meta.url));
  const config = fileURLToPath(new URL("../deno.json", import.meta.url));
  const flags = ["--allow-all", "--quiet", "--no-check", "--frozen", `--config=${config}`];
  return ["deno", ["run", ...flags, path, ...args]];
}

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

  /** Starts `child.ts` in the role that the first argument names. */
  static async start(
    name: string,
    args: readonly string[],
    options: ProgramOptions = {},
  ): Promise<Subject> {
    const [command, words] = commandOf("child", args, options);
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
