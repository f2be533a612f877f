import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { CommandIo } from "../../conformance/kit/command_io.ts";
import { main } from "./main.ts";

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function selftest(args: readonly string[], io: Partial<CommandIo> = {}): Promise<Outcome> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await main(args, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    isTerminal: false,
    colors: false,
    env: {},
    signal: new AbortController().signal,
    ...io,
  });
  return { code, out: out.join(""), err: err.join("") };
}

Deno.test("main() reports usage errors in one line before it runs a case", async () => {
  const mistakes: readonly (readonly [readonly string[], string])[] = [
    [["--jobs", "0"], "Cannot use --jobs"],
    [["wire-errors-no-message"], "use --only PATTERN"],
    [["--count", "3"], "Cannot use --count without --random"],
    [["--excluded"], "Cannot use --excluded without --random"],
    [["--random", "--all"], "Cannot use --all with --random"],
    [["--random", "--lib", "song"], 'Cannot use --lib "song"'],
    [["--only", "wire-*", "--only", "song"], 'no id matches "song"'],
    [["--colour"], "'--colour'"],
  ];
  for (const [args, word] of mistakes) {
    const { code, out, err } = await selftest(args);
    assertEquals([code, out, err.split("\n").length], [2, "", 2], args.join(" "));
    assertStringIncludes(err, word, args.join(" "));
  }
});

Deno.test("main() prints help in lines of at most 80 characters", async () => {
  const { code, out } = await selftest(["--help"]);
  assertEquals(code, 0);
  assertStringIncludes(out, "deno task selftest");
  assert(out.split("\n").every((line) => line.length <= 80), out);
});
