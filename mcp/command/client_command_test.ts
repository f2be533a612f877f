import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serverTasks } from "../tasks/server.ts";
import { HOSTILE, runCommand, serveWithToken } from "../testdata/command.ts";

const TOKEN = ["--bearer-env", "TOKEN"];

Deno.test("parley-mcp list prints aligned lists", async () => {
  await using server = serveWithToken();
  const { code, out, err } = await runCommand(["list", server.url, ...TOKEN]);
  assertEquals([code, err], [0, ""]);
  assertEquals(
    out,
    `Tools (5)
  echo(text: string, times?: integer, limit?: number|null, tags?: string[], other?: any)
             Returns its arguments
  fail()
  hostile()  a\\u{1b}[31m\\u{9b}\\u{202e}b\\u{2028}c
  picture()
  hang()

Resources (1)
  note://1  note (text/plain)

Prompts (1)
  greet(who)  Greets
`,
  );
});

Deno.test("parley-mcp list prints the lists that the command line names", async () => {
  await using server = serveWithToken();
  const { out } = await runCommand(["list", server.url, "templates", "prompts", ...TOKEN]);
  assertEquals(out, "Resource templates (0)\n\nPrompts (1)\n  greet(who)  Greets\n");
});

Deno.test("parley-mcp list truncates descriptions to the width of the terminal", async () => {
  await using server = serveWithToken([], (server) => {
    server.registerTool({ name: "long", description: "word ".repeat(40) }, () => "");
  });
  const lineOf = async (columns?: number) => {
    const options = columns === undefined ? {} : { columns };
    const { out } = await runCommand(["list", server.url, "tools", ...TOKEN], options);
    return out.split("\n").find((line) => line.includes("long()")) ?? "";
  };
  // The first column has 9 characters, and is preceded and followed by 2 spaces.
  assertEquals(await lineOf(40), `  long()     ${"word ".repeat(5)}w…`);
  assertEquals(await lineOf(10), `  long()     ${"word ".repeat(3)}word…`);
  assertEquals((await lineOf()).length, 13 + 90);
});

Deno.test("parley-mcp call waits for the result of a task", async () => {
  const jobs = serverTasks({ pollIntervalMs: 10 });
  await using server = serveWithToken([], (server) => {
    server.registerTool({ name: "grind" }, async (_, context) => {
      await jobs.start(context);
      return "flour";
    });
  }, [jobs]);
  const { code, out, err } = await runCommand(["call", server.url, "grind", ...TOKEN]);
  assertEquals([code, out, err], [0, "flour\n", ""]);
});

Deno.test("parley-mcp --json escapes control characters and bidirectional marks", async () => {
  await using server = serveWithToken();
  const { code, out } = await runCommand(["call", server.url, "hostile", "--json", ...TOKEN]);
  assertEquals(code, 0);
  assertMatch(out, /^[\x20-\x7e]+\n$/);
  assertStringIncludes(out, '"a\\u001b[31m\\u009b\\u202eb\\u2028c\\r\\n\\tend"');
  assertEquals(JSON.parse(out).content, [{ type: "text", text: `${HOSTILE}\r\n\tend` }]);
});

Deno.test("parley-mcp escapes text of the server for the terminal", async () => {
  await using server = serveWithToken();
  const { out } = await runCommand(["call", server.url, "hostile", ...TOKEN]);
  assertEquals(out, "a\\u{1b}[31m\\u{9b}\\u{202e}b\\u{2028}c\n\tend\n");
});

Deno.test("parley-mcp prints a failed tool's text, with exit code 1", async () => {
  await using server = serveWithToken();
  const { code, out, err } = await runCommand(["call", server.url, "fail", ...TOKEN]);
  assertEquals([code, out, err], [1, "out of paper\n", ""]);
});

Deno.test("parley-mcp reports an unknown tool, with exit code 5", async () => {
  await using server = serveWithToken();
  const { code, out, err } = await runCommand(["call", server.url, "nope", ...TOKEN]);
  const line = 'parley-mcp: Cannot call tool "nope": unknown tool; ' +
    "the tools of the server are echo, fail, hostile, picture, hang\n";
  assertEquals([code, out, err], [5, "", line]);
});

Deno.test("parley-mcp prints bytes as their type and size, and --output writes them", async () => {
  await using server = serveWithToken();
  const call = ["call", server.url, "picture", ...TOKEN];
  assertEquals((await runCommand(call)).out, "[image image/png, 6 bytes]\n");
  const { code, out, err, written } = await runCommand([...call, "--output", "a.png"]);
  assertEquals([code, out, err], [0, "", 'parley-mcp: wrote 6 bytes to "a.png"\n']);
  assertEquals([...written], [["a.png", "pixels"]]);
  const error = await runCommand(["call", server.url, "fail", ...TOKEN, "--output", "a.png"]);
  assertEquals([error.code, error.out, error.written.size], [1, "out of paper\n", 0]);
  const failed = await runCommand([...call, "--output", "none/a.png"]);
  assertEquals(failed.code, 2);
  assertEquals(failed.err, 'parley-mcp: Cannot write "none/a.png": no such folder\n');
});

Deno.test("parley-mcp read prints a resource, and reports an unknown one with exit code 5", async () => {
  await using server = serveWithToken();
  const { code, out } = await runCommand(["read", server.url, "note://1", ...TOKEN]);
  assertEquals([code, out], [0, "milk\n"]);
  const { code: unknown, err } = await runCommand(["read", server.url, "note://2", ...TOKEN]);
  assertEquals(unknown, 5);
  assertStringIncludes(err, "Resource not found");
  const file = await runCommand(["read", server.url, "note://1", "--output", "n", ...TOKEN]);
  assertEquals([...file.written], [["n", "milk"]]);
});

Deno.test("parley-mcp prompt prints messages with their roles", async () => {
  await using server = serveWithToken();
  const { code, out } = await runCommand(["prompt", server.url, "greet", "who=Ada", ...TOKEN]);
  assertEquals([code, out], [0, "user: Greet Ada\n"]);
  const wrong = await runCommand(["prompt", server.url, "greet", "who:=1", ...TOKEN]);
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.err, 'the prompt argument "who" must be a string');
});

Deno.test("parley-mcp inspect describes the server", async () => {
  await using server = serveWithToken();
  const { code, out } = await runCommand(["inspect", server.url, ...TOKEN]);
  assertEquals(code, 0);
  const lines = out.replaceAll(/\d+\.\d/g, "#").split("\n");
  assertEquals(lines.slice(0, 2), ["server        demo #.0", "protocol      2026-07-28 (modern)"]);
  assertMatch(out, /^ +items +characters +ms$/m);
  assertMatch(out, /^tools +5 +[\d,]+ +[\d.]+$/m);
  assertMatch(out, /\n\nno warnings\n$/);
  const json = await runCommand([
    "inspect",
    server.url,
    "--protocol",
    "legacy",
    "--json",
    ...TOKEN,
  ]);
  const { era, protocolVersion, lists, warnings } = JSON.parse(json.out);
  assertEquals([era, protocolVersion, warnings], ["legacy", "2025-11-25", []]);
  assertEquals(lists.prompts.count, 1);
});

Deno.test("parley-mcp -v prints each request with its time on standard error", async () => {
  await using server = serveWithToken();
  const { out, err } = await runCommand(["call", server.url, "echo", "text=x", "-v", ...TOKEN]);
  assertEquals(out, '{"text":"x"}\n');
  assertMatch(
    err,
    /^ +[\d.]+ ms {2}connect\n +[\d.]+ ms {2}tools\/list\n +[\d.]+ ms {2}tools\/call "echo"\n$/,
  );
});

const REFUSED: readonly [title: string, args: readonly string[], text: string][] = [
  ["a missing token", [], 'the server requires authorization (HTTP 401); use "--bearer-env" or'],
  ["a wrong token", ["--bearer-env", "WRONG"], "the server does not accept the credentials"],
  ["a wrong header", ["-H", "Authorization: Bearer no"], "does not accept the credentials"],
];

for (const [title, args, text] of REFUSED) {
  Deno.test(`parley-mcp reports ${title} in one line, with exit code 3`, async () => {
    await using server = serveWithToken();
    const env = { WRONG: "not-the-token" };
    const { code, out, err } = await runCommand(["list", server.url, ...args], { env });
    assertEquals([code, out], [3, ""]);
    assertStringIncludes(err, text);
    assertEquals(err.trim().split("\n").length, 1);
    const json = await runCommand(["list", server.url, "--json", ...args], { env });
    const { error } = JSON.parse(json.err);
    assertEquals([error.exit, error.code, error.httpStatus], [3, "auth_error", 401]);
  });
}

Deno.test("parley-mcp -H sends a header", async () => {
  await using server = serveWithToken();
  const header = "authorization: Bearer s3cret";
  const { code } = await runCommand(["list", server.url, "-H", header, "tools"]);
  assertEquals(code, 0);
});

Deno.test("parley-mcp reports a wrong URL in one line, with exit code 4", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${listener.addr.port}/mcp`;
  listener.close();
  const { code, out, err } = await runCommand(["list", url]);
  assertEquals([code, out], [4, ""]);
  assertStringIncludes(err, `parley-mcp: Cannot connect to "${url}": `);
  assertEquals(err.trim().split("\n").length, 1);
});

Deno.test("parley-mcp reports a timeout, with exit code 6", async () => {
  await using server = serveWithToken();
  const args = ["call", server.url, "hang", "--timeout", "0.5", ...TOKEN];
  const { code, err } = await runCommand(args);
  assertEquals(code, 6);
  assertStringIncludes(err, '"tools/call" ("hang"): timed out after 500 ms ("--timeout")\n');
});

Deno.test("parley-mcp reports a server that does not respond, with exit code 6", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${listener.addr.port}/mcp`;
  const run = runCommand(["list", url, "--timeout", "0.2"]);
  using _connection = await listener.accept();
  const { code, err } = await run;
  assertEquals(code, 6);
  assertStringIncludes(err, 'timed out after 200 ms ("--timeout")');
});

Deno.test("parley-mcp ends a call on an interrupt, with exit code 130", async () => {
  await using server = serveWithToken();
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const run = runCommand(["call", server.url, "hang", ...TOKEN], { signal });
  await server.hanging;
  interrupt.abort(new Error("SIGINT"));
  const { code, out, err } = await run;
  assertEquals([code, out, err], [130, "", "parley-mcp: interrupted\n"]);
});

Deno.test("parley-mcp --config selects a server of a file", async () => {
  await using server = serveWithToken();
  const headers = { authorization: "Bearer ${TOKEN}" };
  const files = {
    "mcp.json": JSON.stringify({ mcpServers: { demo: { url: server.url, headers } } }),
  };
  const config = ["--config", "mcp.json"];
  const { code, out } = await runCommand(["read", "demo", "note://1", ...config], { files });
  assertEquals([code, out], [0, "milk\n"]);
  const refused = await runCommand(["list", "demo", ...config], { files, env: { TOKEN: "wrong" } });
  assertEquals(refused.code, 3);
  assertStringIncludes(refused.err, 'check the "headers" in "mcp.json", or use "--login"');
  const unknown = await runCommand(["list", "nope", ...config], { files });
  assertEquals(unknown.code, 2);
  assertStringIncludes(unknown.err, 'Cannot use the server "nope": "mcp.json" has only "demo"');
});

Deno.test("parley-mcp --config does not read the other servers of a file", async () => {
  await using server = serveWithToken();
  const headers = { authorization: "Bearer ${TOKEN}" };
  const servers = {
    other: { url: "https://other.example/mcp", headers: { authorization: "${MISSING}" } },
    demo: { url: server.url, headers },
    off: { command: "deno", disabled: true },
  };
  const files = { "mcp.json": JSON.stringify({ servers }) };
  const config = ["--config", "mcp.json"];
  const { code, out, err } = await runCommand(["read", "demo", "note://1", ...config], { files });
  assertEquals([code, out, err], [0, "milk\n", ""]);
  const missing = await runCommand(["list", "other", ...config], { files });
  assertEquals(missing.code, 2);
  assertStringIncludes(missing.err, '"servers.other.headers.authorization" refers to the variable');
  const disabled = await runCommand(["list", "off", ...config], { files });
  assertEquals(
    [disabled.code, disabled.err],
    [2, 'parley-mcp: Cannot use the server "off": "mcp.json" disables it\n'],
  );
  const unknown = await runCommand(["list", "__proto__", ...config], { files });
  assertStringIncludes(unknown.err, '"mcp.json" has only "other", "demo", "off"');
});

const URL_OF_NOBODY = "http://127.0.0.1:1/mcp";

const WRONG_LINES: readonly [args: readonly string[], text: string][] = [
  [["list"], "the SERVER is missing"],
  [["list", "nope"], '"nope" is not an HTTP or HTTPS URL'],
  [["list", "ftp://a/b"], '"ftp://a/b" is not an HTTP or HTTPS URL'],
  [["list", URL_OF_NOBODY, "tool"], '"tool" is not one of tools, resources, templates, prompts'],
  [["list", "--"], 'the program after "--" is missing'],
  [["call", URL_OF_NOBODY], "the name of the tool is missing"],
  [["call", "--", "deno"], "the name of the tool is missing"],
  [["read", URL_OF_NOBODY], "the URI of the resource is missing"],
  [["read", URL_OF_NOBODY, "a", "b"], 'unexpected "b"'],
  [["prompt", URL_OF_NOBODY], "the name of the prompt is missing"],
  [["inspect", URL_OF_NOBODY, "tools"], 'unexpected "tools"'],
  [["list", URL_OF_NOBODY, "--verbos"], "Unknown option '--verbos'\nRun"],
  [["call", URL_OF_NOBODY, "add", "--a=1"], "Unknown option '--a'; pass an argument as name=text"],
  [["list", URL_OF_NOBODY, "--timeout", "0"], '"--timeout" must be a positive number'],
  [["list", URL_OF_NOBODY, "--timeout", "1e9"], '"--timeout" must be a positive number'],
  [["list", URL_OF_NOBODY, "--output", "a"], '"--output" requires the command "call" or "read"'],
  [["list", URL_OF_NOBODY, "--protocol", "2020"], '"--protocol" must be one of auto, modern'],
  [["list", URL_OF_NOBODY, "--bearer-env", "NONE"], 'the environment variable "NONE" is not set'],
  [["list", URL_OF_NOBODY, "-H", "secret"], '"--header" must be "Name: value"'],
  [["list", URL_OF_NOBODY, "-H", "a b: secret"], '"--header" must be "Name: value"'],
  [["list", "--env", "KEY=secret", "--", "deno"], "must be the name of an environment variable"],
  [["read", URL_OF_NOBODY, "a", "--output", "-"], '"--output" must be the name of a file'],
  [["list", URL_OF_NOBODY, "--env", "A"], '"--env" requires a program'],
  [["list", URL_OF_NOBODY, "--store", "a"], '"--store" and "--client-id" require "--login"'],
  [["list", "http://me:secret@a/"], "must not contain a user name or a password"],
  [["list", "-H", "a: b", "--", "deno"], '"--header" and "--bearer-env" require a URL'],
  [["list", "--login", "--", "deno"], '"--login" and "--config" require no program'],
  [["list", "a", "--config", "none.json"], 'Cannot read "none.json": no such file'],
];

for (const [args, text] of WRONG_LINES) {
  Deno.test(`parley-mcp rejects the command line ${args.join(" ")}`, async () => {
    const { code, out, err } = await runCommand(args);
    assertEquals([code, out], [2, ""]);
    assertStringIncludes(err, `parley-mcp: `);
    assertStringIncludes(err, text);
    assertEquals(err.includes("secret"), false, err);
  });
}

Deno.test("parley-mcp --json reports an invalid command line as one line of JSON", async () => {
  const { code, out, err } = await runCommand(["call", URL_OF_NOBODY, "--json"]);
  const message = "Invalid arguments: the name of the tool is missing";
  assertEquals([code, out], [2, ""]);
  assertEquals(JSON.parse(err), { error: { exit: 2, code: "usage", message } });
  // The option belongs to the program.
  const program = await runCommand(["call", "--", "deno", "--json"]);
  assertEquals([program.code, program.err.startsWith("parley-mcp: Invalid")], [2, true]);
});

Deno.test("parley-mcp passes --help after -- to the program", async () => {
  const { code, err } = await runCommand(["list", "--", "no-such-program", "--help"]);
  assertEquals(code, 4);
  assertStringIncludes(err, 'Cannot connect to "no-such-program"');
});

Deno.test("parley-mcp names the remedy for a program and its arguments in one word", async () => {
  const { code, err } = await runCommand(["list", "--", "no-such-program server.js"]);
  assertEquals(code, 4);
  assertStringIncludes(
    err,
    "; write the name of the program and each argument as separate words\n",
  );
});

Deno.test("parley-mcp inspect warns of tool names that model APIs reject", async () => {
  await using server = serveWithToken(["files.read", "files_read", "x".repeat(65)]);
  const { out } = await runCommand(["inspect", server.url, ...TOKEN, "--json"]);
  const remedy = 'use at most 64 letters, digits, "_" and "-"';
  assertEquals(JSON.parse(out).warnings, [
    `many model APIs reject the tool name "files.read"; ${remedy}`,
    `many model APIs reject the tool name "${"x".repeat(65)}"; ${remedy}`,
  ]);
});

Deno.test("parley-mcp --output reports invalid base64, with exit code 5", async () => {
  await using server = serveWithToken([], (server) => {
    server.registerTool({ name: "broken" }, () => {
      return { content: [{ type: "image", mimeType: "image/png", data: "%%" }] };
    });
  });
  const call = ["call", server.url, "broken", "--output", "a.png", ...TOKEN];
  const { code, out, err, written } = await runCommand(call);
  assertEquals([code, out, written.size], [5, "", 0]);
  assertStringIncludes(err, "the content is not valid base64");
});
