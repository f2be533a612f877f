import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { HttpTransport, SseTransport } from "../client.ts";
import { readMcpConfig, type ReadMcpConfigOptions, type SpawnCommand } from "../clients.ts";
import { spawnServer } from "../process.ts";

/** Returns a `spawn` function, and the arguments of its calls. */
function recordSpawn(): { readonly spawn: SpawnCommand; readonly calls: unknown[] } {
  const calls: unknown[] = [];
  const spawn: SpawnCommand = (...call) => {
    calls.push(call);
    return {
      label: call[0],
      canReopen: false,
      openPipe: () => Promise.reject(new Error("unused")),
    };
  };
  return { spawn, calls };
}

Deno.test("readMcpConfig() passes command, arguments, environment and working directory to spawn", () => {
  const { spawn, calls } = recordSpawn();
  const configs = readMcpConfig({
    mcpServers: {
      files: { command: "npx", args: ["-y", "files", "${HOME}/notes"], env: { KEY: "${env:KEY}" } },
      local: { type: "stdio", command: "${BIN:-node}", cwd: "${HOME}" },
    },
  }, { env: { HOME: "/home/ann", KEY: "secret" }, spawn });
  assertEquals(Object.keys(configs), ["files", "local"]);
  assertEquals(calls, [
    ["npx", ["-y", "files", "/home/ann/notes"], { env: { KEY: "secret" } }],
    ["node", [], { cwd: "/home/ann" }],
  ]);
});

Deno.test("readMcpConfig() accepts spawnServer and does not start a process", () => {
  const config = { servers: { a: { command: "no-such-program" } } };
  const { transport } = readMcpConfig(config, { spawn: spawnServer }).a ?? {};
  assert(transport !== undefined && "label" in transport);
  assertEquals(transport.label, "no-such-program");
});

for (
  const [type, kind] of [
    [undefined, HttpTransport],
    ["http", HttpTransport],
    ["streamable-http", HttpTransport],
    ["sse", SseTransport],
  ] as const
) {
  Deno.test(`readMcpConfig() creates an ${kind.name} for a URL and the type ${type}`, () => {
    const server = { type, url: "${BASE}/mcp", headers: { Authorization: "Bearer ${TOKEN}" } };
    const { type: _type, ...untyped } = server;
    const { transport } =
      readMcpConfig({ servers: { crm: type === undefined ? untyped : server } }, {
        env: { BASE: "https://crm.example", TOKEN: "t" },
      }).crm ?? {};
    assertInstanceOf(transport, kind);
    const { url, options } = transport.endpoint;
    assertEquals(url, "https://crm.example/mcp");
    assertEquals(options.headers, { Authorization: "Bearer t" });
  });
}

Deno.test("readMcpConfig() leaves out disabled servers without reading their other members", () => {
  const config = {
    mcpServers: {
      off: { disabled: true, command: "${MISSING}", anything: 1 },
      on: { disabled: false, url: "https://x.example" },
    },
  };
  assertEquals(Object.keys(readMcpConfig(config)), ["on"]);
});

Deno.test("readMcpConfig() ignores the inputs of Visual Studio Code", () => {
  const config = { inputs: [{ id: "key", type: "promptString" }], servers: {} };
  assertEquals(readMcpConfig(config), {});
});

/** Expands the references in an argument of a command. */
function expandArg(arg: string, env: ReadMcpConfigOptions["env"] = {}): unknown {
  const { spawn, calls } = recordSpawn();
  readMcpConfig({ servers: { s: { command: "c", args: [arg] } } }, { env, spawn });
  return calls;
}

const EXPANSIONS: readonly [text: string, expected: string][] = [
  ["plain $A {A}", "plain $A {A}"],
  ["${A}${A}-${B}", "11-two"],
  ["${env:A}", "1"],
  ["${MISSING:-x:-y}", "x:-y"],
  ["${MISSING:-}", ""],
  ["${EMPTY:-default}", ""],
  ["${A:-default}", "1"],
  ["${LOOP}", "${A}"],
  ["${PATTERN}", "$&$1"],
  ["${A", "${A"],
];

for (const [text, expected] of EXPANSIONS) {
  Deno.test(`readMcpConfig() expands "${text}" to "${expected}"`, () => {
    const env = { A: "1", B: "two", EMPTY: "", LOOP: "${A}", PATTERN: "$&$1" };
    assertEquals(expandArg(text, env), [["c", [expected], {}]]);
  });
}

Deno.test("readMcpConfig() inserts every value unchanged", () => {
  const text = fc.string({ unit: "binary" });
  const plain = text.filter((each) => !each.includes("${") && !each.endsWith("$"));
  fc.assert(
    fc.property(plain, text, plain, (before, value, after) => {
      const expanded = expandArg(`${before}\${V}${after}`, { V: value });
      assertEquals(expanded, [["c", [before + value + after], {}]]);
    }),
    propertyRuns(200),
  );
});

Deno.test("readMcpConfig() does not read inherited properties of the environment", () => {
  assertThrows(() => expandArg("${toString}"), TypeError, '"toString", which is not set');
});

const command = { command: "c" };
const ERRORS: readonly [name: string, config: unknown, message: string][] = [
  ["a path instead of the contents", "mcp.json", '"config" must be the parsed contents'],
  ["no servers", {}, 'either the member "mcpServers" or the member "servers"'],
  ["both members", { servers: {}, mcpServers: {} }, "either the member"],
  [
    "an unknown member of the file",
    { servers: {}, theme: 1 },
    '"theme" is not a member of the file',
  ],
  ["servers in an array", { servers: [] }, '"servers" must be an object, got an array'],
  [
    "a server that is a string",
    { servers: { a: "npx" } },
    '"servers.a" must be an object, got a string',
  ],
  ["an empty server", { mcpServers: { a: {} } }, '"mcpServers.a" must have a "command" or a "url"'],
  [
    "an unknown type",
    { servers: { a: { type: "ws", url: "x" } } },
    '"servers.a.type" must be one of "stdio"',
  ],
  [
    "an unknown member of a server",
    { servers: { a: { ...command, envFile: ".env" } } },
    '"servers.a.envFile" is not a member of a server of type "stdio"',
  ],
  [
    "a command and a URL",
    { servers: { a: { ...command, url: "https://x.example" } } },
    '"servers.a.url" is not a member of a server of type "stdio"',
  ],
  [
    "a URL for type stdio",
    { servers: { a: { type: "stdio", url: "https://x.example" } } },
    '"servers.a.url"',
  ],
  [
    "no command",
    { servers: { a: { type: "stdio" } } },
    '"servers.a.command" must be a string, got undefined',
  ],
  [
    "an empty command",
    { servers: { a: { command: "" } } },
    '"servers.a.command" must be the name of a program',
  ],
  [
    "arguments in a string",
    { servers: { a: { ...command, args: "-y" } } },
    '"servers.a.args" must be an array',
  ],
  [
    "a number as an argument",
    { servers: { a: { ...command, args: [1] } } },
    '"servers.a.args[0]" must be a string',
  ],
  [
    "a number in env",
    { servers: { a: { ...command, env: { P: 80 } } } },
    '"servers.a.env.P" must be a string',
  ],
  [
    "null as env",
    { servers: { a: { ...command, env: null } } },
    '"servers.a.env" must be an object, got null',
  ],
  [
    "a string as disabled",
    { servers: { a: { ...command, disabled: "yes" } } },
    '"servers.a.disabled" must be a boolean',
  ],
  [
    "a variable that is not set",
    { mcpServers: { github: { ...command, env: { TOKEN: "${GITHUB_TOKEN}" } } } },
    '"mcpServers.github.env.TOKEN" refers to the variable "GITHUB_TOKEN", which is not set',
  ],
  [
    "a Visual Studio Code prompt",
    { servers: { a: { ...command, args: ["${input:key}"] } } },
    '"servers.a.args[0]" must refer to variables as ${VAR}',
  ],
  [
    "a nested default",
    { servers: { a: { ...command, args: ["${A:-${B}}"] } } },
    "must refer to variables as",
  ],
  [
    "a URL with another scheme",
    { servers: { a: { url: "ftp://x" } } },
    '"servers.a.url" must be an HTTP or HTTPS URL',
  ],
  [
    "an invalid header",
    { servers: { a: { url: "http://x", headers: { "a b": "" } } } },
    '"servers.a.headers.a b"',
  ],
];

for (const [name, config, message] of ERRORS) {
  Deno.test(`readMcpConfig() rejects ${name}`, () => {
    const { spawn } = recordSpawn();
    assertThrows(() => readMcpConfig(config, { spawn }), TypeError, message);
  });
}

Deno.test("readMcpConfig() rejects a command without the option spawn", () => {
  const config = { mcpServers: { files: command } };
  assertThrows(() => readMcpConfig(config), TypeError, '"mcpServers.files" has a "command"');
});

Deno.test("readMcpConfig() does not print secrets", () => {
  const env = { URL: "secret-url", HEADER: "secret\nheader" };
  for (
    const server of [
      { url: "${URL}" },
      { url: "http://x", headers: { key: "${HEADER}" } },
      { url: "http://x", headers: "secret" },
      { url: "http://ann:secret@x.example/mcp" },
      { url: "http://secret@x.example/mcp" },
    ]
  ) {
    const error = assertThrows(() => readMcpConfig({ servers: { s: server } }, { env }), TypeError);
    assert(!error.message.includes("secret"), error.message);
  }
});

Deno.test("readMcpConfig() keeps a server named __proto__", () => {
  const config = JSON.parse('{ "servers": { "__proto__": { "url": "https://x.example" } } }');
  assertEquals(Object.keys(readMcpConfig(config)), ["__proto__"]);
});

Deno.test("readMcpConfig() escapes the names in a file", () => {
  const name = "a\u001b[2J\u202e";
  for (
    const config of [
      { servers: { [name]: 5 } },
      { servers: { a: { url: "https://a.example", [name]: 5 } } },
      { servers: { a: { url: "https://a.example", headers: { [name]: 5 } } } },
      { servers: { a: { url: `\${${name}}` } } },
    ]
  ) {
    const { message } = assertThrows(() => readMcpConfig(config), TypeError);
    assertEquals(/[\p{Cc}\p{Cf}]/u.test(message), false, message);
    assert(message.includes("a\\u{1b}[2J\\u{202e}") || message.includes("\\u001b"), message);
  }
});
