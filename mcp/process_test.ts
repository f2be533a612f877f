import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { McpClient } from "./client.ts";
import { McpError } from "./shared/error.ts";
import { spawnServer, type SpawnServerOptions } from "./process.ts";

function server(name: string, args: string[] = [], options: SpawnServerOptions = {}) {
  const path = new URL(`testdata/${name}.ts`, import.meta.url).pathname;
  return spawnServer("deno", ["run", "-A", path, ...args], options);
}

function isAlive(pid: number | undefined): boolean {
  assert(pid !== undefined);
  const { success } = new Deno.Command("deno", {
    args: ["eval", `process.kill(${pid}, 0)`],
    stdout: "null",
    stderr: "null",
  }).outputSync();
  return success;
}

Deno.test("spawnServer() starts the server on connect and ends it on disconnect", async () => {
  const transport = server("adder");
  const client = new McpClient({ transport });
  assertEquals(transport.pid, undefined);
  await client.connect();
  const { pid } = transport;
  try {
    assertEquals(client.server?.protocolVersion, "2026-07-28");
    const { content } = await client.callTool("add", { a: 1, b: 2 });
    assertEquals(content, [{ type: "text", text: "3" }]);
    assert(isAlive(pid));
  } finally {
    await client.disconnect();
  }
  assertEquals(transport.exit, { code: 0, signal: null });
  assertEquals([transport.pid, client.connected, isAlive(pid)], [undefined, false, false]);
});

Deno.test("spawnServer() supports a second connection", async () => {
  const client = new McpClient({ transport: server("adder") });
  for (const _round of [1, 2]) {
    await client.connect();
    assertEquals((await client.listTools()).map(({ name }) => name), ["add", "repeat"]);
    await client.disconnect();
  }
});

Deno.test("spawnServer() reads responses of several megabytes across chunk boundaries", async () => {
  const client = new McpClient({ transport: server("adder") });
  await client.connect();
  try {
    const [text, times] = ["Zoë 🦜 ", 500_000];
    const results = await Promise.all(
      [1, 2].map(() => client.callTool("repeat", { text, times })),
    );
    for (const { content } of results) {
      const [block] = content;
      assert(block?.type === "text" && block.text === text.repeat(times));
    }
  } finally {
    await client.disconnect();
  }
});

Deno.test("spawnServer() restarts a server that exits after server/discover", async () => {
  const client = new McpClient({ transport: server("stubborn", ["dies_on_probe"]) });
  await client.connect();
  try {
    assertEquals(client.server?.protocolVersion, "2025-06-18");
    assertEquals(await client.listTools(), [
      { name: "t", description: "", inputSchema: { type: "object" } },
    ]);
  } finally {
    await client.disconnect();
  }
});

Deno.test("spawnServer() falls back to the legacy era if the server does not respond", async () => {
  const transport = server("stubborn", ["silent"]);
  const client = new McpClient({ transport, probeTimeoutMs: 1 });
  await client.connect();
  try {
    assertEquals(client.server?.protocolVersion, "2025-06-18");
  } finally {
    await client.disconnect();
  }
});

Deno.test("spawnServer() rejects calls in flight with the process's exit status", async () => {
  const transport = server("stubborn");
  const client = new McpClient({ transport });
  await client.connect();
  const error = await assertRejects(() => client.callTool("t", {}), McpError);
  assertEquals(error.code, "transport_error");
  assert(error.message.endsWith("the process exited (exit code 7): about to fail"));
  assertEquals([client.connected, transport.stderr], [false, "about to fail\n"]);
  await client.disconnect();
});

Deno.test("spawnServer() kills a server that ignores closed stdin and SIGTERM", async () => {
  const transport = server("stubborn", ["ignores_term"], { graceMs: 50 });
  const client = new McpClient({ transport });
  await client.connect();
  const { pid } = transport;
  await client.disconnect();
  assertEquals(transport.exit, { code: null, signal: "SIGKILL" });
  assertEquals(isAlive(pid), false);
});

Deno.test("spawnServer() reports a missing program", async () => {
  const client = new McpClient({ transport: spawnServer("deno", [], { cwd: "/no/such/folder" }) });
  const error = await assertRejects(() => client.connect(), McpError);
  assertEquals(error.code, "connection_failed");
  assertEquals(client.connected, false);
});

Deno.test("spawnServer() passes only common and configured environment variables", async () => {
  Deno.env.set("PARLEY_TEST_SECRET", "s");
  const code =
    `console.error(JSON.stringify([process.env.PARLEY_TEST_SECRET, process.env.GIVEN, !!process.env.PATH]))`;
  const transport = spawnServer("deno", ["eval", code], { env: { GIVEN: "g" } });
  const client = new McpClient({ transport });
  await assertRejects(() => client.connect(), McpError);
  Deno.env.delete("PARLEY_TEST_SECRET");
  assertEquals(transport.stderr, '[null,"g",true]\n');
});

Deno.test("spawnServer() does not wait for a detached child process that keeps stdout open", async () => {
  for (const dies of [true, false]) {
    const transport = server("leaver", [], { graceMs: dies ? 50 : 10_000 });
    const client = new McpClient({ transport });
    await client.connect();
    try {
      if (dies) {
        const error = await assertRejects(() => client.listTools(), McpError);
        assert(error.message.includes("the process exited (exit code 3)"));
      }
      await client.disconnect();
      assertEquals(transport.exit, { code: dies ? 3 : 0, signal: null });
    } finally {
      await new Deno.Command("deno", {
        args: ["eval", `process.kill(${transport.stderr.trim()})`],
      }).output();
    }
  }
});

Deno.test("spawnServer() reports the exit status of a program that is not a server", async () => {
  for (const protocol of ["auto", "modern", "legacy"] as const) {
    const client = new McpClient({ transport: spawnServer("deno", ["--version"]), protocol });
    const error = await assertRejects(() => client.connect(), McpError);
    assertEquals(error.code, "connection_failed");
    // The lines that the program wrote show that the program is not an MCP server.
    const start = 'Cannot connect to "deno": the process exited (exit code 0); ' +
      `expected JSON-RPC messages, got the lines "deno ${Deno.version.deno}`;
    assert(error.message.startsWith(start), error.message);
    await client.disconnect();
  }
});

Deno.test("spawnServer() reports the error message of a failed program without its stack trace", async () => {
  const code = 'throw new TypeError("no such port")';
  const client = new McpClient({ transport: spawnServer("deno", ["eval", code]) });
  const { message } = await assertRejects(() => client.connect(), McpError);
  assert(
    message.endsWith("(exit code 1): error: Uncaught (in promise) TypeError: no such port"),
    message,
  );
});

Deno.test("spawnServer() rejects calls beyond maxBufferedChars if the server does not read", async () => {
  const transport = server("stubborn", ["deaf"], { maxBufferedChars: 1_000_000, graceMs: 50 });
  const client = new McpClient({ transport });
  await client.connect();
  try {
    const text = "x".repeat(600_000);
    const [first, second] = [1, 2].map(() => client.callTool("t", { text }));
    const rejected = first && assertRejects(() => first, McpError);
    const error = await assertRejects(async () => await second, McpError, "are buffered for");
    assertEquals(error.code, "core");
    await client.disconnect();
    assertEquals((await rejected)?.code, "transport_error");
  } finally {
    await client.disconnect();
  }
});

Deno.test("spawnServer() stores at most maxStderr characters of standard error", async () => {
  for (const [maxStderr, kept] of [[0, ""], [4, "two\n"]] as const) {
    const code = 'console.error("one\\ntwo");';
    const transport = spawnServer("deno", ["eval", code], { maxStderr });
    await assertRejects(() => new McpClient({ transport }).connect(), McpError);
    assertEquals(transport.stderr, kept);
  }
});

Deno.test("spawnServer() passes the listed environment variables and no others", async () => {
  const names = ["HTTPS_PROXY", "NO_PROXY", "no_proxy", "http_proxy", "SECRET_TOKEN"];
  const before = names.map((name) => [name, Deno.env.get(name)] as const);
  for (const name of names) Deno.env.set(name, "http://127.0.0.1:9");
  try {
    const print = "console.error(JSON.stringify(process.env)); process.exit()";
    const env = { OWN: "1", NO_PROXY: "" };
    const transport = spawnServer("deno", ["eval", print], { env });
    await assertRejects(() => new McpClient({ transport }).connect(), McpError);
    const seen: Record<string, string> = JSON.parse(transport.stderr);
    for (const name of ["HTTPS_PROXY", "no_proxy", "http_proxy", "OWN", "PATH", "HOME"]) {
      assert(name in seen, name);
    }
    // The process inherits the following variables only if they are set.
    for (const name of ["DENO_DIR", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"]) {
      assertEquals(seen[name], Deno.env.get(name));
    }
    assertEquals([seen.NO_PROXY, "SECRET_TOKEN" in seen], ["", false]);
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
});

Deno.test("spawnServer() rejects invalid limits and timeouts", () => {
  for (const name of ["maxStderr", "maxLineBytes", "maxBufferedChars", "maxJunkLines", "graceMs"]) {
    for (const value of [-1, NaN]) {
      assertThrows(() => spawnServer("deno", [], { [name]: value }), RangeError, name);
    }
  }
});

Deno.test("spawnServer() throws and rejects with errors that contain no arguments or variables", async () => {
  const secret = "planted-secret";
  const client = new McpClient({ transport: spawnServer("missing-program", ["--key", secret]) });
  const error = await assertRejects(() => client.connect(), McpError);
  assertEquals(Deno.inspect(error, { depth: 20, showHidden: true }).includes(secret), false);
  assert(error.cause instanceof Error && Reflect.get(error.cause, "code") === "ENOENT");
  for (
    const create of [
      () => spawnServer("program", [`${secret}\0`]),
      () => spawnServer("program", [], { env: { KEY: `${secret}\0` } }),
    ]
  ) {
    const { message } = assertThrows(create, TypeError, "must be a string without U+0000");
    assertEquals(message.includes(secret), false);
  }
});

Deno.test("spawnServer() copies the arguments and the environment", async () => {
  const args = ["-c", 'echo "$WORD" >&2; exit 3'];
  const env = { WORD: "first" };
  const transport = spawnServer("sh", args, { env });
  args[1] = "echo changed >&2; exit 3";
  env.WORD = "second";
  await new McpClient({ transport }).connect().catch(() => {});
  assertEquals(transport.stderr, "first\n");
});
