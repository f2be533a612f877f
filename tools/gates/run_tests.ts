/**
 * Runs the tests and the documented examples. The last line of output is `N passed, N failed`.
 *
 *     deno task test                       everything
 *     deno task test comm/ --filter sign   with arguments of `deno test`
 *     deno task ok                         runs it with --fast
 *
 * With --fast, property tests try a quarter of the inputs, and four kinds of tests do not run:
 * documented examples, stress tests, tests of other languages, and tests of the kit's third-party
 * subjects and case generators.
 *
 * The tests run without type checking, because `deno task check` checks the types.
 *
 * @module
 */

import { ROOT } from "../members.ts";

const SUMMARY = /(?:ok|FAILED) \| (\d+) passed.*?\| (\d+) failed/;

/** Folders that `--fast` skips. */
const SLOW = [
  "**/stress/",
  "conformance/drivers/go/",
  "conformance/drivers/python/",
  "lab/generators/",
  "lab/third_party/",
];

/** Factor for the number of inputs of property tests with `--fast`. */
const FAST_FACTOR = "0.25";

/**
 * Returns the counts in the last line of `deno test`, or `undefined` if the run ended before
 * printing it.
 */
export function readSummary(output: string): { passed: number; failed: number } | undefined {
  const line = output.split("\n").findLast((text) => SUMMARY.test(text));
  const match = line === undefined ? null : SUMMARY.exec(line);
  return match === null ? undefined : { passed: Number(match[1]), failed: Number(match[2]) };
}

/** Returns the arguments for `deno test`. `exclude` lists the folders that deno.json excludes. */
export function testArguments(args: readonly string[], exclude: readonly string[]): string[] {
  const common = ["test", "--permission-set", "--parallel", "--frozen", "--no-check"];
  if (args[0] !== "--fast") return [...common, "--doc", ...args];
  // The `--ignore` flag replaces the exclusions in deno.json, so they are repeated here.
  const ignore = `--ignore=${[...exclude, ...SLOW].join(",")}`;
  return [...common, ignore, ...args.slice(1)];
}

async function readExclude(): Promise<string[]> {
  const { exclude = [] }: { readonly exclude?: string[] } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", ROOT)),
  );
  return exclude;
}

async function echo(
  stream: ReadableStream<Uint8Array>,
  sink: { write(bytes: Uint8Array): Promise<number> },
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let at = 0; at < chunk.length;) at += await sink.write(chunk.subarray(at));
  }
  return text + decoder.decode();
}

async function main(args: readonly string[]): Promise<number> {
  const factor = args[0] === "--fast" ? { PARLEY_PROPERTY_FACTOR: FAST_FACTOR } : {};
  const child = new Deno.Command("deno", {
    args: testArguments(args, await readExclude()),
    env: { NO_COLOR: "1", ...factor },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [output, , status] = await Promise.all([
    echo(child.stdout, Deno.stdout),
    echo(child.stderr, Deno.stderr),
    child.status,
  ]);
  const { passed = 0, failed = 1 } = readSummary(output) ?? {};
  console.log(`${passed} passed, ${status.success ? failed : Math.max(failed, 1)} failed`);
  return status.success ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
