import { assert, assertEquals, assertRejects } from "@std/assert";
import { KitError } from "../../conformance/kit/error.ts";
import { loadSuite } from "../../conformance/suite.ts";
import type { ThirdPartySubject } from "./subject.ts";
import { testSubject } from "./test_subject.ts";

/** A few cases, each of which sends one request. */
const SUITE = new Map([...loadSuite()].filter(([id]) => id.startsWith("mcp/json-rpc/id-")));
const SERVER = `deno run -A ${
  new URL("../../conformance/drivers/typescript/everything_stdio.ts", import.meta.url).pathname
}`;

function server(command: string): ThirdPartySubject {
  const access = { kind: "stdio", command } as const;
  return {
    name: "a-server",
    title: "A server",
    package: "a",
    version: "1",
    language: "typescript",
    library: "mcp",
    access,
  };
}

function test(command: string, timeoutFactor?: number) {
  return testSubject(server(command), {
    suite: SUITE,
    signal: new AbortController().signal,
    ...(timeoutFactor === undefined ? {} : { timeoutFactor }),
  });
}

Deno.test("testSubject() returns the results of a server that responds", async () => {
  const tested = await test(SERVER);
  assert(tested !== undefined && tested.result.passed === SUITE.size && SUITE.size > 3);
  assertEquals(tested.result.red, []);
});

Deno.test("testSubject() rejects for a server that never responds, or that opens no session", async () => {
  for (const command of ["sh -c 'exec sleep 600'", "sh -c 'exec cat'"]) {
    const message = 'Cannot store the results of "a-server": ';
    await assertRejects(() => test(command, 0.05), KitError, message);
  }
});

Deno.test("testSubject() rejects for a server that dies after a few cases and does not start again", async () => {
  const output = await new Deno.Command("sh", { args: ["-c", "mktemp -d"] }).output();
  const folder = new TextDecoder().decode(output.stdout).trim();
  // The first process forwards 12 messages, which are enough for the session and some cases. Later
  // processes find the file and exit.
  const script = `
    if [ -e ${folder}/started ]; then exit 3; fi
    touch ${folder}/started
    { for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
      IFS= read -r line; printf "%s\\n" "$line"
    done; } | ${SERVER}`;
  try {
    const { message } = await assertRejects(() => test(`sh -c '${script}'`, 0.2), KitError);
    const [, notRun, all] =
      /^Cannot store the results of "a-server": (\d+) cases? of (\d+) could not be run/.exec(
        message,
      ) ?? [];
    assertEquals(Number(all), SUITE.size, message);
    assert(Number(notRun) < SUITE.size - 1, message);
  } finally {
    await new Deno.Command("sh", { args: ["-c", `rm -r ${folder}`] }).output();
  }
});

Deno.test("testSubject() returns nothing if it is interrupted", async () => {
  const signal = AbortSignal.abort();
  assertEquals(await testSubject(server(SERVER), { suite: SUITE, signal }), undefined);
});
