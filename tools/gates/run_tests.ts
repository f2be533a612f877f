/**
 * Runs the tests and the documented examples, and closes with one line, `N passed, N failed`, that a machine can read.
 *
 *     deno task test                       everything
 *     deno task test comm/ --filter sign   what `deno test` takes
 *
 * @module
 */

const SUMMARY = /(?:ok|FAILED) \| (\d+) passed.*?\| (\d+) failed/;

/** The counts of `deno test`'s closing line, or undefined when the run never got that far. */
export function readSummary(output: string): { passed: number; failed: number } | undefined {
  const line = output.split("\n").findLast((text) => SUMMARY.test(text));
  const match = line === undefined ? null : SUMMARY.exec(line);
  return match === null ? undefined : { passed: Number(match[1]), failed: Number(match[2]) };
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
  const child = new Deno.Command("deno", {
    args: ["test", "--permission-set", "--doc", "--parallel", "--frozen", ...args],
    env: { NO_COLOR: "1" },
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
