import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { loadSuite } from "../../conformance/suite.ts";
import type { ThirdPartySubject } from "./subject.ts";
import { type Outcome, type TestOptions, testSubject } from "./test_subject.ts";

/** A few cases, each of which sends one request. */
const SUITE = new Map([...loadSuite()].filter(([id]) => id.startsWith("mcp/json-rpc/id-")));
const SCRIPT = new URL("../testdata/scripted_server.ts", import.meta.url).pathname;

/** Tests a server with the given command. No package is installed, so no registry is asked. */
async function test(command: string, options: Partial<TestOptions> = {}): Promise<Outcome> {
  const subject: ThirdPartySubject = {
    name: "a-server",
    title: "A server",
    package: "a",
    version: "1",
    language: "typescript",
    library: "mcp",
    build: "none",
    access: { kind: "stdio", command },
  };
  const { signal } = new AbortController();
  return await testSubject(subject, { suite: SUITE, signal, ...options });
}

/** Tests the scripted server, whose starts are the first start and the two runs. */
async function testScripted(
  fault: string,
  start: string,
  options?: Partial<TestOptions>,
): Promise<Outcome> {
  const made = await new Deno.Command("sh", { args: ["-c", "mktemp -d"] }).output();
  const folder = new TextDecoder().decode(made.stdout).trim();
  try {
    return await test(`deno run -A --no-check ${SCRIPT} ${folder} ${fault} ${start}`, options);
  } finally {
    await new Deno.Command("sh", { args: ["-c", `rm -r ${folder}`] }).output();
  }
}

function reasonsOf(outcome: Outcome): readonly string[] {
  assert(outcome.kind === "refused", JSON.stringify(outcome));
  return outcome.reasons;
}

Deno.test("testSubject() returns the results on which two runs agree", async () => {
  const outcome = await testScripted("none", "1");
  assert(outcome.kind === "tested", JSON.stringify(outcome));
  assertEquals(outcome.result.passed, SUITE.size);
  assert(SUITE.size > 3);
  assertEquals([outcome.result.red, outcome.result.unstable], [[], []]);
  assertEquals(outcome.result.runs, 2);
});

Deno.test("testSubject() stores a failure of one run as unstable, and not as failed", async () => {
  const outcome = await testScripted("digits", "3", { timeoutFactor: 0.5 });
  assert(outcome.kind === "tested", JSON.stringify(outcome));
  const { result: { red, unstable, passed, areas } } = outcome;
  assertEquals(red, []);
  assertEquals(unstable, [{
    id: "mcp/json-rpc/id-text-of-digits",
    transport: "stdio",
    runs: ["pass", "fail: a response within <n> ms"],
  }]);
  assertEquals(passed, SUITE.size - 1);
  assertEquals(areas["mcp/json-rpc"]?.unstable, 1);
});

Deno.test("testSubject() stores a failure of both runs as failed", async () => {
  const outcome = await testScripted("digits", "1", { timeoutFactor: 0.5 });
  assert(outcome.kind === "tested", JSON.stringify(outcome));
  const { result: { red, unstable, passed } } = outcome;
  assertEquals(unstable, []);
  assertEquals(red.map(({ id }) => id), ["mcp/json-rpc/id-text-of-digits"]);
  assertEquals(passed, SUITE.size - 1);
});

Deno.test("testSubject() stores nothing for a subject that sends nothing, exits, or does not exist", async () => {
  const starts = [
    ["sh -c 'exec sleep 600'", "the first start failed: no response within 0 seconds"],
    ["sh -c 'exec sleep 600 >/dev/null'", "the first start failed: no response within 0 seconds"],
    ["sh -c 'exit 3'", "the process exited with code 3"],
    ["no-such-program-of-parley", "no such program"],
  ];
  for (const [command = "", reason = ""] of starts) {
    const [first = "", ...others] = reasonsOf(await test(command, { startMs: 400 }));
    assertStringIncludes(first, reason);
    assertEquals(others, []);
  }
});

Deno.test("testSubject() stores nothing for a subject that stops responding in one of the runs", async () => {
  for (const [start, name] of [["2", "first run"], ["3", "second run"]] as const) {
    const reasons = reasonsOf(await testScripted("silent-after-2", start, { timeoutFactor: 0.1 }));
    assert(reasons.every((reason) => reason.startsWith(`${name}: `)), reasons.join("\n"));
    assert(reasons.some((reason) => /crashed or got no response|could not be run/.test(reason)));
  }
});

Deno.test("testSubject() stores nothing for a subject that exits in a run and does not start again", async () => {
  const reasons = reasonsOf(await testScripted("exits-after-2", "2", { timeoutFactor: 0.2 }));
  assertEquals(
    reasons.some((reason) => reason.startsWith("first run: ")),
    true,
    reasons.join("\n"),
  );
});

Deno.test("testSubject() stores nothing of a run that does not end in time", async () => {
  const options = { runMs: 700, timeoutFactor: 50 };
  assertEquals(reasonsOf(await testScripted("silent-after-2", "2", options)), [
    "first run: not finished within 0.7 seconds",
  ]);
});

Deno.test("testSubject() names the registry if the package of a subject cannot be installed", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => request.url.includes("/a/1") ? new Response("", { status: 404 }) : promise,
  );
  const registry = `http://127.0.0.1:${server.addr.port}/`;
  const access = { kind: "stdio", command: "sh -c 'exec sleep 600'" } as const;
  const subject: ThirdPartySubject = {
    ...{ name: "b", title: "B", package: "a", version: "1", language: "c", library: "mcp", access },
  };
  const { signal } = new AbortController();
  const outcome = await testSubject(subject, { suite: SUITE, signal, startMs: 300, registry });
  assertEquals(reasonsOf(outcome), [
    `the first start failed: no response within 0 seconds; the registry ${registry} has no package a@1`,
  ]);
  resolve(new Response());
  await server.shutdown();
});

Deno.test("testSubject() returns nothing if it is interrupted", async () => {
  const signal = AbortSignal.abort();
  assertEquals(await test("sh -c 'exec sleep 600'", { signal }), { kind: "interrupted" });
  const soon = AbortSignal.timeout(300);
  assertEquals(await test("sh -c 'exec sleep 600'", { signal: soon }), { kind: "interrupted" });
});
