import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serveWithToken } from "../testdata/command.ts";

const CLI = new URL("../cli.ts", import.meta.url).pathname;
const ADDER = new URL("../testdata/adder.ts", import.meta.url).pathname;

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "-A", CLI, ...args],
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function finish(child: Deno.ChildProcess) {
  const { code, stdout, stderr } = await child.output();
  const [out = "", err = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out, err };
}

Deno.test("the parley-mcp program calls a tool of a program", async () => {
  const call = ["call", "add", "a=1", "b=2", "--", "deno", "run", ADDER];
  assertEquals(await finish(start(call)), { code: 0, out: "3\n", err: "" });
});

Deno.test("the parley-mcp program sends a bearer token over HTTP", async () => {
  await using server = serveWithToken();
  const read = ["read", server.url, "note://1", "--bearer-env", "TOKEN"];
  const accepted = await finish(start(read, { TOKEN: "s3cret" }));
  assertEquals(accepted, { code: 0, out: "milk\n", err: "" });
  const { code, out, err } = await finish(start(read, { TOKEN: "wrong" }));
  assertEquals([code, out], [3, ""]);
  assertEquals(
    err,
    "parley-mcp: Cannot authorize the request: the server does not accept the credentials (HTTP 401)\n",
  );
});

Deno.test("the parley-mcp program ends on SIGINT in a call over HTTP, with exit code 130", async () => {
  await using server = serveWithToken();
  const child = start(["call", server.url, "hang", "--bearer-env", "TOKEN"], { TOKEN: "s3cret" });
  await server.hanging;
  child.kill("SIGINT");
  const expected = { code: 130, out: "", err: "parley-mcp: interrupted\n" };
  assertEquals(await finish(child), expected);
});

/** A server whose tool connects to a port and does not return. */
const HANGING = `
  import { McpServer, serveStdio } from "@parley/mcp/server";
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "hang" }, async () => {
    const connection = await Deno.connect({ port: Number(Deno.env.get("PORT")) });
    await connection.read(new Uint8Array(1));
    return "";
  });
  await serveStdio(server);
`;

Deno.test("the parley-mcp program terminates its server on SIGINT", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const call = ["call", "hang", "--env", "PORT", "--", "deno", "eval", HANGING];
  const child = start(call, { PORT: `${listener.addr.port}` });
  using connection = await listener.accept();
  child.kill("SIGINT");
  const expected = { code: 130, out: "", err: "parley-mcp: interrupted\n" };
  assertEquals(await finish(child), expected);
  // The operating system closes the connection when the server ends.
  assertEquals(await connection.read(new Uint8Array(1)), null);
});

const LOUD = `console.log("\\u001b[2JServer started"); await import(${JSON.stringify(ADDER)});`;

Deno.test("the parley-mcp program reports a server that prints to standard output", async () => {
  const { code, out, err } = await finish(start(["list", "tools", "--", "deno", "eval", LOUD]));
  assertEquals(code, 0);
  assertStringIncludes(out, "add(a: number, b: number)  Adds two numbers\n");
  assertEquals(err.trim().split("\n").length, 1, err);
  assertStringIncludes(err, "the server printed the line");
  assert(!err.includes("\u001b"), err);
});

Deno.test("the parley-mcp program reports a program that ends, with exit code 4", async () => {
  const code = 'console.error("no license"); process.exit(3)';
  const { code: exit, out, err } = await finish(start(["list", "--", "deno", "eval", code]));
  assertEquals([exit, out], [4, ""]);
  assertEquals(
    err,
    'parley-mcp: Cannot connect to "deno": the process exited (exit code 3): no license\n',
  );
});

const LOGGING = `console.error("\\u001b[2Jstarted\\nready"); await import(${
  JSON.stringify(ADDER)
});`;

Deno.test("the parley-mcp program prints standard error of a program with -v, escaped", async () => {
  const program = ["--", "deno", "eval", LOGGING];
  const { code, err } = await finish(start(["list", "tools", "-v", ...program]));
  assertEquals(code, 0);
  const shown = ["the program has printed to standard error:", "\\u{1b}[2Jstarted", "ready"];
  assert(err.endsWith(shown.map((line) => `${" ".repeat(14)}${line}\n`).join("")), err);
  assertEquals((await finish(start(["list", "tools", ...program]))).err, "");
});

Deno.test("the parley-mcp program continues if the reader of standard error has ended", async () => {
  const child = start(["call", "add", "a=1", "b=2", "-v", "--", "deno", "run", ADDER]);
  await child.stderr.cancel();
  const [{ code }, out] = await Promise.all([child.status, new Response(child.stdout).text()]);
  assertEquals([code, out], [0, "3\n"]);
});

Deno.test({
  name: "the parley-mcp program reports output that cannot be written, with exit code 2",
  // Only Linux has this file.
  ignore: Deno.build.os !== "linux",
  async fn() {
    const script = 'exec "$@" > /dev/full';
    const args = ["-c", script, "sh", "deno", "run", "--quiet", "--no-check", "-A", CLI, "--help"];
    const { code, stderr } = await new Deno.Command("sh", { args, env: { NO_COLOR: "1" } })
      .output();
    assertEquals(code, 2);
    assertMatch(
      new TextDecoder().decode(stderr),
      /^parley-mcp: Cannot write to standard output: .*no space left.*\n$/i,
    );
  },
});
