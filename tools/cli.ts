/**
 * What the repository's tools share: flags, running other programs, and ending with one clear line instead of a stack.
 *
 * @module
 */

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

/** A failure that its message explains well enough for the person who started the tool. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** What a program printed. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and how a program runs. */
export interface RunOptions {
  readonly cwd?: string | URL;
  /** Added to our own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is stopped and has failed; default five minutes. */
  readonly timeoutMs?: number;
}

/** Reads the flags of a tool that takes no other arguments. */
export function readFlags<const Flags extends ParseArgsOptionsConfig>(
  args: readonly string[],
  flags: Flags,
): ReturnType<typeof parseArgs<{ options: Flags }>>["values"] {
  try {
    return parseArgs({ args: [...args], options: flags }).values;
  } catch (error) {
    throw new ToolError(messageOf(error).split(". ", 1)[0], { cause: error });
  }
}

/**
 * Runs a program to its end.
 *
 * @throws {ToolError} with its last words when it cannot be started or fails
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

/** Runs a program to its end, whatever that end is. */
export async function tryRun(
  command: string,
  args: readonly string[],
  { cwd, env = {}, timeoutMs = 300_000 }: RunOptions = {},
): Promise<Output & { readonly success: boolean }> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  try {
    const { success, stdout, stderr } = await new Deno.Command(command, {
      args: [...args],
      env: { NO_COLOR: "1", RUST_BACKTRACE: "0", ...env },
      signal: stop.signal,
      stdin: "null",
      ...(cwd === undefined ? {} : { cwd }),
    }).output();
    if (stop.signal.aborted) throw new Error(`it took longer than ${timeoutMs} ms`);
    const decoder = new TextDecoder();
    return { success, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  } catch (error) {
    throw new ToolError(`Cannot run "${command}": ${messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Does one step of a longer check and prints how long it took. */
export async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  try {
    return await work();
  } finally {
    console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
}

/** Waits for all, the failed ones too, and then throws the first failure: nothing is left running. */
export async function settleAll(work: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Gives a folder of its own to `work` and removes it afterwards. */
export async function withTempDir<Result>(work: (dir: string) => Promise<Result>): Promise<Result> {
  const dir = await Deno.makeTempDir({ prefix: "parley-" });
  try {
    return await work(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Ends the process: with the tool's exit code, or with one line when it failed. */
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
