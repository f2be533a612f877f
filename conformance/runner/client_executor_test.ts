import { assertEquals } from "@std/assert";
import { exitCode } from "../kit/counts.ts";
import { readSuite, type Suite } from "../kit/load_cases.ts";
import calls from "../testdata/called_tool.json" with { type: "json" };
import cases from "../testdata/client.json" with { type: "json" };
import tasks from "../testdata/tasks.json" with { type: "json" };
import { run } from "./run.ts";

const SUITE: Suite = readSuite(new Map([["client.json", cases]]));
const DRIVER = new URL("../drivers/typescript/parley.ts", import.meta.url).pathname;
const WEB_DRIVER = new URL("../testdata/web_driver.ts", import.meta.url).pathname;
const PROGRAM = new URL("../testdata/client_program.ts", import.meta.url).pathname;

Deno.test("run() acts as the server for a driver's client, over stdio and HTTP", async () => {
  const { results } = await run({
    subject: { driver: { command: ["deno", "run", "-A", DRIVER] } },
    suite: SUITE,
  });
  assertEquals(results.map(({ id, transport, verdict }) => [id, transport, verdict]), [
    ["mcp/sample-client/lists-tools", "stdio", "pass"],
    ["mcp/sample-client/answered-always", "stdio", "pass"],
    ["mcp/sample-client/handshake", "stdio", "pass"],
    ["mcp/sample-client/lists-tools", "http", "pass"],
    ["mcp/sample-client/answered-always", "http", "pass"],
    ["mcp/sample-client/handshake", "http", "pass"],
  ]);
});

Deno.test("run() lists the tools that a case calls if no step handles the list", async () => {
  const { results } = await run({
    subject: { driver: { command: ["deno", "run", "-A", DRIVER] } },
    suite: readSuite(new Map([["called_tool.json", calls]])),
  });
  assertEquals(results.map(({ id, transport, verdict }) => [id, transport, verdict]), [
    ["mcp/sample-call/lists-tools-during-a-call", "stdio", "pass"],
    ["mcp/sample-call/lists-tools-during-an-http-call", "stdio", "n/a"],
    ["mcp/sample-call/lists-tools-during-a-call", "http", "pass"],
    ["mcp/sample-call/lists-tools-during-an-http-call", "http", "pass"],
  ]);
});

Deno.test("run() reports client cases as n/a on transports that the driver does not declare", async () => {
  const { results } = await run({
    subject: { driver: { command: ["deno", "run", "-A", WEB_DRIVER] } },
    suite: SUITE,
  });
  assertEquals(results.map(({ transport, verdict, note }) => [transport, verdict, note]), [
    ["stdio", "n/a", 'the client does not support the transport "stdio"'],
    ["stdio", "n/a", 'the client does not support the transport "stdio"'],
    ["stdio", "n/a", 'the client does not support the transport "stdio"'],
    ["http", "pass", undefined],
    ["http", "pass", undefined],
    ["http", "pass", undefined],
  ]);
});

Deno.test("run() aborts a client's operation, and reports n/a for extensions that the client lacks", async () => {
  const { results } = await run({
    subject: { driver: { command: ["deno", "run", "-A", DRIVER] } },
    suite: readSuite(new Map([["tasks.json", tasks]])),
    revision: "2026-07-28",
  });
  const lacks = 'the client does not support the extension "example.com/other"';
  assertEquals(results.map(({ id, transport, verdict, note }) => [id, transport, verdict, note]), [
    ["mcp/sample-tasks/aborts", "stdio", "pass", undefined],
    ["mcp/sample-tasks/other-client-extension", "stdio", "n/a", lacks],
    ["mcp/sample-tasks/aborts", "http", "pass", undefined],
    ["mcp/sample-tasks/other-client-extension", "http", "n/a", lacks],
  ]);
});

Deno.test("run() acts as the server for a client program that starts the relay", async () => {
  const { results } = await run({
    subject: { client: ["deno", "run", "-A", PROGRAM, "{peer}"] },
    suite: SUITE,
  });
  assertEquals(results.map(({ id, transport, verdict }) => [id, transport, verdict]), [
    ["mcp/sample-client/undriven", "stdio", "pass"],
  ]);
});

Deno.test("run() reports a crash with the exit code if the client exits without sending a message", async () => {
  const { results } = await run({
    subject: { client: ["sh", "-c", "exit 4"] },
    suite: SUITE,
    timeoutFactor: 0.1,
  });
  assertEquals(results.map(({ verdict, got }) => [verdict, got]), [
    ["crash", "no response: the process exited with code 4"],
  ]);
});

Deno.test("run() reports a case as not run if the client does not start", async () => {
  const report = await run({ subject: { client: ["no-such-program", "{peer}"] }, suite: SUITE });
  assertEquals(report.results.map(({ verdict, note }) => [verdict, note]), [
    ["not_run", 'Cannot start "no-such-program": no such program'],
  ]);
  assertEquals(exitCode(report), 1);
});
