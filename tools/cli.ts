/**
 * Helpers for all tools: flags, running other programs, and errors printed without a stack trace.
 *
 * @module
 */

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** An error whose message is sufficient for the tool's user, so no stack trace is printed. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** Output and exit status of a program. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Options for {@linkcode run} and {@linkcode tryRun}. */
export interface RunOptions {
  readonly cwd?: string | URL;
  /** Variables to add to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Timeout in milliseconds, after which the program is stopped. @default {300_000} */
  readonly timeoutMs?: number;
}

/** Flags and positional arguments, as {@linkcode readArguments} returns them. */
export type ToolArguments<Flags extends ParseArgsOptionsConfig> = Pick<
  ReturnType<typeof parseArgs<{ options: Flags; allowPositionals: true }>>,
  "values" | "positionals"
>;

/**
 * Reads the flags and positional arguments of a tool.
 *
 * @throws {ToolError} If a flag is unknown or has no value.
 */
export function readArguments<const Flags extends ParseArgsOptionsConfig>(
  args: readonly string[],
  flags: Flags,
): ToolArguments<Flags> {
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: true });
  } catch (error) {
    throw new ToolError(messageOf(error).split(". ", 1)[0], { cause: error });
  }
}

/**
 * Reads the flags of a tool without positional arguments.
 *
 * @throws {ToolError} If a flag is unknown or has no value, or if there is a positional argument.
 */
export function readFlags<const Flags extends ParseArgsOptionsConfig>(
  args: readonly string[],
  flags: Flags,
): ToolArguments<Flags>["values"] {
  const { values, positionals: [first] } = readArguments(args, flags);
  if (first !== undefined) throw new ToolError(`Unexpected argument '${first}'`);
  return values;
}

/**
 * Runs a program and returns its output.
 *
 * @throws {ToolError} If the program cannot be started, fails or times out. The error message
 * contains the last lines of the program's output.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Output> {
  const { success, stdout, stderr } = await tryRun(command, args, options);
  if (success) return { stdout, stderr };
  const words = (stderr.trim() || stdout.trim()).split("\n").slice(-20).join("\n");
  throw new ToolError(`Cannot run "${command} ${args.slice(0, 3).join(" ")}": ${words}`);
}

/** Runs a program and returns its output, even if it fails. */
export async function tryRun(
  command: string,
  args: readonly string[],
  { cwd, env = {}, timeoutMs = 300_000 }: RunOptions = {},
): Promise<Output & { readonly success: boolean; readonly code: number }> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  try {
    const { success, code, stdout, stderr } = await new Deno.Command(command, {
      args: [...args],
      env: { NO_COLOR: "1", RUST_BACKTRACE: "0", ...env },
      signal: stop.signal,
      stdin: "null",
      ...(cwd === undefined ? {} : { cwd }),
    }).output();
    if (stop.signal.aborted) throw new Error(`timed out after ${timeoutMs} ms`);
    const decoder = new TextDecoder();
    return { success, code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  } catch (error) {
    throw new ToolError(`Cannot run "${command}": ${messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Runs one step of a longer check and prints its duration. */
export async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  try {
    return await work();
  } finally {
    console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
}

/**
 * Waits until all promises are settled, so that no operation is still running, and then throws the
 * first error.
 */
export async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Calls `work` with a new temporary folder and then removes the folder. */
export async function withTempDir<Result>(work: (dir: string) => Promise<Result>): Promise<Result> {
  const dir = await Deno.makeTempDir({ prefix: "parley-" });
  try {
    return await work(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Runs a tool and ends the process with the tool's exit code. Prints an error as one line. */
export async function runTool(name: string, tool: () => Promise<number>): Promise<never> {
  try {
    Deno.exit(await tool());
  } catch (error) {
    const known = error instanceof ToolError || error instanceof Deno.errors.NotFound;
    console.error(`${name}: ${known ? messageOf(error) : Deno.inspect(error)}`);
    Deno.exit(1);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
