import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { McpClient } from "./client.ts";
import { main } from "./cli.ts";
import { spawnServer } from "./process.ts";

const CLI = new URL("cli.ts", import.meta.url).pathname;
const WATCHED = new URL("testdata/watched_adder.ts", import.meta.url).pathname;
const ADDER = new URL("testdata/adder.ts", import.meta.url).pathname;

const FILE = new URL("testdata/mcp.json", import.meta.url).pathname;

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], content?: unknown): Promise<Run> {
  let [out, err] = ["", ""];
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    readFile: () =>
      content === undefined
        ? Promise.reject(new Error("no such file"))
        : Promise.resolve(typeof content === "string" ? content : JSON.stringify(content)),
    writeFile: () => Promise.reject(new Error("must not be called")),
    readStdin: () => Promise.reject(new Error("must not be called")),
    env: {},
    signal: new AbortController().signal,
  };
  return { code: await main(args, io), out, err };
}

Deno.test("parley-mcp gateway serves several servers over standard input and output", async () => {
  const env = { ADDER, MARK: "none" };
  const transport = spawnServer("deno", ["run", "-A", CLI, "gateway", FILE], { env });
  await using client = new McpClient({ transport });
  await client.connect();
  const names = (await client.listTools()).map(({ name }) => name);
  assertEquals(names, ["a_add", "a_repeat", "b_add", "b_repeat"]);
  const { content } = await client.callTool("b_add", { a: 1, b: 2 });
  assertEquals(content, [{ type: "text", text: "3" }]);
  await client.disconnect();
  assertEquals(transport.exit, { code: 0, signal: null });
  assertStringIncludes(transport.stderr, 'parley-mcp: The server "broken" is unreachable');
  assertEquals(transport.stderr.trim().split("\n").length, 1);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`parley-mcp gateway terminates its servers on ${signal}`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const child = new Deno.Command("deno", {
      args: ["run", "-A", CLI, "gateway", FILE, "--http", "0"],
      env: { ADDER: WATCHED, MARK: `${listener.addr.port}` },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value = "" } = await reader.read();
    const [, url] = /^parley-mcp: listening on (http:\/\/127\.0\.0\.1:\d+\/mcp)\n$/.exec(value) ??
      [];
    assert(url !== undefined, value);
    const connections = [await listener.accept(), await listener.accept()];
    const client = new McpClient({ transport: { type: "http", url } });
    await client.connect();
    assertEquals((await client.listTools()).length, 4);
    await client.disconnect();
    const fromPage = { origin: "https://evil.example" };
    const refused = await fetch(url, { method: "POST", headers: fromPage, body: "{}" });
    assertEquals(refused.status, 403);
    await refused.body?.cancel();
    child.kill(signal);
    const { code } = await child.status;
    assertEquals(code, 0);
    await reader.cancel();
    // The operating system closes the connection of each server when its process ends.
    for (const connection of connections) {
      assertEquals(await connection.read(new Uint8Array(1)), null);
      connection.close();
    }
  });
}

Deno.test("parley-mcp --help describes the command", async () => {
  for (const args of [["--help"], ["gateway", "-h"], ["help"]]) {
    const { code, out, err } = await run(args);
    assertEquals([code, err], [0, ""]);
    assertStringIncludes(out, "parley-mcp gateway FILE [options]");
  }
});

const WRONG: readonly [title: string, args: readonly string[], text: string][] = [
  ["no command", [], "Cannot run a command: no command specified"],
  [
    "an unknown command",
    ["serve"],
    'Cannot run "serve": unknown command; use list, call, read, prompt, inspect, gateway or init',
  ],
  ["no file", ["gateway"], "Cannot start the gateway: the FILE is missing"],
  ["two files", ["gateway", "a", "b"], 'Invalid arguments: unexpected "b"'],
  ["an unknown flag", ["gateway", "a", "--port"], "Invalid arguments: Unknown option '--port'"],
  ["a port that is not a number", ["gateway", "a", "--http", "x"], '"--http" must be a port'],
  ["a port that is too large", ["gateway", "a", "--http", "65536"], '"--http" must be a port'],
  ["--host without --http", ["gateway", "a", "--host", "::1"], 'require "--http"'],
  ["an empty host", ["gateway", "a", "--http", "0", "--host="], '"--host" must not be empty'],
  ["a missing file", ["gateway", "none.json"], 'Cannot read "none.json": no such file'],
  ["a missing kind", ["init"], 'the kind is missing; it must be "server" or "client"'],
  ["an unknown kind", ["init", "agent", "x"], 'must be "server" or "client", got "agent"'],
  [
    "a missing folder",
    ["init", "server"],
    'the folder is missing; use, for example, "init server my-server"',
  ],
  ["a third argument", ["init", "server", "a", "b"], 'Invalid arguments: unexpected "b"'],
  ["a missing permission", ["init", "server", "my-server"], "Requires write access to "],
];

for (const [title, args, text] of WRONG) {
  Deno.test(`parley-mcp reports ${title} in one sentence, with exit code 2`, async () => {
    const { code, out, err } = await run(args);
    assertEquals([code, out], [2, ""]);
    assertStringIncludes(err, text);
    assertEquals(err.split("\n"), [err.split("\n")[0], 'Run "parley-mcp --help" for usage.', ""]);
  });
}

Deno.test("parley-mcp init creates a project, and does not change a folder that exists", async () => {
  for (const kind of ["server", "client"]) {
    const script = `folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"
      init() { deno run --quiet --no-check -A "$CLI" init ${kind} my-${kind}; }
      init && cat my-${kind}/package.json && init`;
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", script],
      env: { NO_COLOR: "1", CLI },
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertEquals(code, 2);
    assertStringIncludes(`${out}`, `Created "my-${kind}" with `);
    assertStringIncludes(`${out}`, `"name": "my-${kind}"`);
    assertStringIncludes(`${out}`, '"@parley/mcp": "^');
    assertStringIncludes(`${err}`, `parley-mcp: Cannot create "my-${kind}": it already exists\n`);
  }
});

const adder = { command: "deno", args: ["run", ADDER] };

/** A server with two resources, and a template that covers them. */
const TABLE = `
  import { McpServer, serveStdio } from "@parley/mcp/server";
  const server = new McpServer({ name: "s", version: "1" });
  for (const id of ["1", "2"]) {
    server.registerResource({ uri: "db:///" + id, name: id }, () => "row " + id);
  }
  const template = { uriTemplate: "db:///{id}", name: "row" };
  server.registerResourceTemplate(template, (_uri, { id }) => "row " + id);
  await serveStdio(server);
`;

for (const [listResources, expected] of [[undefined, 2], [true, 2], [false, 0]] as const) {
  Deno.test(`parley-mcp gateway lists the resources of a server unless listResources is false: ${listResources}`, async () => {
    const interrupt = new AbortController();
    const listening = Promise.withResolvers<string>();
    const table = { command: "deno", args: ["eval", TABLE] };
    const file = { servers: { s: { ...table, listResources } } };
    let err = "";
    const exit = main(["gateway", "mcp.json", "--http", "0"], {
      out: (text) => listening.resolve(text),
      err: (text) => void (err += text),
      readFile: () => Promise.resolve(JSON.stringify(file)),
      writeFile: () => Promise.reject(new Error("must not be called")),
      readStdin: () => Promise.reject(new Error("must not be called")),
      env: {},
      signal: interrupt.signal,
    });
    const [url = ""] = /http:\S+/.exec(
      await Promise.race([
        listening.promise,
        exit.then(() => err),
      ]),
    ) ?? [];
    const client = new McpClient({ transport: { type: "http", url } });
    await client.connect();
    assertEquals((await client.listResources()).length, expected);
    assertEquals((await client.listResourceTemplates()).length, 1);
    const [content] = (await client.getResource("db:///2")).contents;
    assertEquals(content?.text, "row 2");
    await client.disconnect();
    interrupt.abort();
    // An interrupt is not an error of a server.
    assertEquals([await exit, err], [0, ""]);
  });
}

Deno.test("parley-mcp uses a file with listResources for one server", async () => {
  const table = { command: "deno", args: ["eval", TABLE], listResources: false };
  const args = ["list", "s", "resources", "--config", "mcp.json"];
  const { code, out } = await run(args, { servers: { s: table } });
  assertEquals(code, 0);
  assertStringIncludes(out, "db:///1");
});

const BAD_FILES: readonly [title: string, content: unknown, text: string][] = [
  ["broken JSON", '{"mcpServers": {', 'mcp.json": '],
  ["a file without servers", { mcpServers: {} }, "the file contains no servers"],
  ["another file", { a: 1 }, '"a" is not a member of the file'],
  [
    "a missing variable",
    { mcpServers: { a: { ...adder, env: { KEY: "${NOT_SET}" } } } },
    '"mcpServers.a.env.KEY" refers to the variable "NOT_SET", which is not set',
  ],
  [
    "listResources with the wrong type",
    { mcpServers: { a: { ...adder, listResources: "no" } } },
    '"mcpServers.a.listResources" must be a boolean',
  ],
  [
    "an unknown member",
    { mcpServers: { a: { ...adder, comand: "x" } } },
    '"mcpServers.a.comand" is not a member',
  ],
];

for (const [title, content, text] of BAD_FILES) {
  Deno.test(`parley-mcp gateway reports ${title} in one sentence, with exit code 2`, async () => {
    const { code, err } = await run(["gateway", "mcp.json"], content);
    assertEquals(code, 2);
    assertStringIncludes(err, 'parley-mcp: Cannot read "mcp.json": ');
    assertStringIncludes(err, text);
  });
}

Deno.test("parley-mcp gateway prints no part of a file with invalid JSON", async () => {
  for (const content of ['{"KEY": s3cret}', '{"KEY": "s3cret" 1}', "s3cret", '{"s3cret']) {
    const { code, err } = await run(["gateway", "mcp.json"], content);
    assertEquals(code, 2);
    assertStringIncludes(err, "the file is not valid JSON");
    assert(!err.includes("s3cret"), err);
  }
});

Deno.test("parley-mcp gateway accepts a file that starts with a byte order mark", async () => {
  const { err } = await run(["gateway", "mcp.json"], '\uFEFF{"servers":{}}');
  assertStringIncludes(err, "the file contains no servers");
});

/**
 * A server that lists the same tool a hundred times, under a name that contains control characters.
 */
const FORGER = `
  import { McpServer, serveStdio } from "@parley/mcp/server";
  const name = "\\u001b[2Jx\\nparley-mcp: forged";
  const tool = { name, inputSchema: { type: "object" } };
  const wrap = { "tools/list": () => () => ({ tools: Array(100).fill(tool) }) };
  const extension = { id: "example.org/x", capabilities: () => ({ tools: {} }), wrap };
  await serveStdio(new McpServer({ name: "s", version: "1", extensions: [extension] }));
`;

Deno.test("parley-mcp gateway prints an error once, in one line without control characters", async () => {
  const interrupt = new AbortController();
  const file = { servers: { s: { command: "deno", args: ["eval", FORGER] } } };
  let err = "";
  const code = await main(["gateway", "mcp.json", "--http", "0"], {
    out: () => interrupt.abort(),
    err: (text) => void (err += text),
    readFile: () => Promise.resolve(JSON.stringify(file)),
    writeFile: () => Promise.reject(new Error("must not be called")),
    readStdin: () => Promise.reject(new Error("must not be called")),
    env: {},
    signal: interrupt.signal,
  });
  assertEquals(code, 0);
  assertEquals(err.trimEnd().split("\n").length, 1, err);
  assertStringIncludes(err, "the server lists the item twice");
  assert(!err.includes("\u001b"), err);
});

Deno.test("parley-mcp gateway ends on an interrupt while a server does not respond", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const interrupt = new AbortController();
  const exit = main(["gateway", "mcp.json"], {
    out: () => {},
    err: () => {},
    readFile: () => Promise.resolve(`{"servers":{"s":{"url":"http://127.0.0.1:${port}/mcp"}}}`),
    writeFile: () => Promise.reject(new Error("must not be called")),
    readStdin: () => Promise.reject(new Error("must not be called")),
    env: {},
    signal: interrupt.signal,
  });
  using _connection = await listener.accept();
  const startedAt = performance.now();
  interrupt.abort();
  assertEquals(await exit, 0);
  assert(performance.now() - startedAt < 10_000);
});

const UNREACHABLE = { servers: { a: { url: "http://127.0.0.1:1/mcp" } } };

Deno.test("parley-mcp gateway reports a port in use, with exit code 2", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const { code, err } = await run(["gateway", "mcp.json", "--http", `${port}`], UNREACHABLE);
  assertEquals(code, 2);
  assertStringIncludes(err, 'The server "a" is unreachable');
  assertStringIncludes(err, `Cannot listen on "127.0.0.1", port ${port}: `);
});

Deno.test("parley-mcp gateway rejects an allowed host with a port", async () => {
  const { code, err } = await run(
    ["gateway", "mcp.json", "--http", "0", "--allowed-host", "a:1"],
    UNREACHABLE,
  );
  assertEquals(code, 2);
  assertStringIncludes(err, "must be a host name without a scheme, port or wildcard");
});
