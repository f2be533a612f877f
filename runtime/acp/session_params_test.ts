import { assertEquals, assertThrows } from "@std/assert";
import { RpcError } from "./rpc_error.ts";
import { readCapabilities, readSessionId, readSessionParams } from "./session_params.ts";

const STDIO = { mcpOverHttp: false };

Deno.test("readSessionParams() reads directories and MCP servers", () => {
  const params = {
    cwd: "/w",
    additionalDirectories: ["/x"],
    mcpServers: [
      { name: "files", command: "/bin/files", args: ["-a"], env: [{ name: "KEY", value: "1" }] },
      { type: "http", name: "web", url: "https://a.example", headers: [{ name: "A", value: "b" }] },
    ],
  };
  assertEquals(readSessionParams(params, { mcpOverHttp: true }), {
    cwd: "/w",
    additionalDirectories: ["/x"],
    mcpServers: [
      { type: "stdio", name: "files", command: "/bin/files", args: ["-a"], env: { KEY: "1" } },
      { type: "http", name: "web", url: "https://a.example", headers: { A: "b" } },
    ],
  });
});

Deno.test("readSessionParams() reads omitted lists as empty", () => {
  const empty = { cwd: "C:\\w", additionalDirectories: [], mcpServers: [] };
  assertEquals(readSessionParams({ cwd: "C:\\w" }, STDIO), empty);
  assertEquals(readSessionParams({ cwd: "C:\\w", mcpServers: null }, STDIO), empty);
});

Deno.test("readSessionParams() keeps a variable named __proto__ as a variable", () => {
  const server = { name: "a", command: "/a", args: [], env: [{ name: "__proto__", value: "x" }] };
  const { mcpServers } = readSessionParams({ cwd: "/w", mcpServers: [server] }, STDIO);
  const [read] = mcpServers;
  assertEquals(read?.type === "stdio" && Object.entries(read.env), [["__proto__", "x"]]);
});

Deno.test("readSessionParams() rejects invalid parameters", () => {
  const server = { name: "a", command: "/a", args: [], env: [] };
  const invalid: readonly (readonly [object, string])[] = [
    [{}, '"cwd" must be an absolute path'],
    [{ cwd: "w" }, '"cwd" must be an absolute path'],
    [{ additionalDirectories: ["x"] }, '"additionalDirectories[0]" must be an absolute path'],
    [{ additionalDirectories: {} }, '"additionalDirectories" must be an array'],
    [{ mcpServers: {} }, '"mcpServers" must be an array'],
    [{ mcpServers: Array(101).fill(server) }, '"mcpServers" must have at most 100 items'],
    [{ mcpServers: [1] }, '"mcpServers[0].name" must be a string'],
    [{ mcpServers: [{ ...server, command: 1 }] }, '"mcpServers[0].command" must be a string'],
    [{ mcpServers: [{ ...server, args: [1] }] }, '"mcpServers[0].args[0]" must be a string'],
    [{ mcpServers: [{ ...server, env: [1] }] }, '"mcpServers[0].env[0].name" must be a string'],
    [
      { mcpServers: [{ type: "http", name: "a", url: "https://a" }] },
      '"mcpServers[0].type" must be',
    ],
    [
      { mcpServers: [{ type: "sse", name: "a", url: "https://a" }] },
      '"mcpServers[0].type" must be',
    ],
  ];
  for (const [params, text] of invalid) {
    const all = "cwd" in params || Object.keys(params).length === 0
      ? params
      : { cwd: "/w", ...params };
    const error = assertThrows(() => readSessionParams({ ...all }, STDIO), RpcError, text);
    assertEquals(error.code, -32602);
  }
});

Deno.test("readSessionId() accepts non-empty strings of at most 256 characters", () => {
  assertEquals(readSessionId({ sessionId: "s" }), "s");
  for (const sessionId of [undefined, null, 1, "", "x".repeat(257), "\ud800"]) {
    assertEquals(assertThrows(() => readSessionId({ sessionId }), RpcError).code, -32602);
  }
});

Deno.test("readCapabilities() reads omitted and invalid capabilities as unsupported", () => {
  const none = { readTextFile: false, writeTextFile: false, terminal: false };
  assertEquals(readCapabilities({}), none);
  assertEquals(readCapabilities({ clientCapabilities: { fs: 1, terminal: "yes" } }), none);
  assertEquals(
    readCapabilities({ clientCapabilities: { fs: { readTextFile: true }, terminal: true } }),
    { ...none, readTextFile: true, terminal: true },
  );
});
