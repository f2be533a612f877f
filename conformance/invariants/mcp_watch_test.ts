import { assertEquals } from "@std/assert";
import { McpWatch } from "./mcp_watch.ts";

/** Runs a conversation over stdio, and returns the watch. Lines of the kit begin with `>`. */
function talk(role: "server" | "client", lines: readonly string[]): McpWatch {
  const watch = new McpWatch(role);
  const wire = watch.lines();
  watch.begin("mcp/a/b");
  for (const line of lines) {
    if (line.startsWith(">")) wire.sent(`${line.slice(1)}\n`);
    else wire.received(new TextEncoder().encode(line));
  }
  return watch;
}

const OPENING = [
  '>{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",' +
  '"capabilities":{},"clientInfo":{"name":"k","version":"1"}}}',
  '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},' +
  '"serverInfo":{"name":"s","version":"1"}}}',
  '>{"jsonrpc":"2.0","method":"notifications/initialized"}',
];

Deno.test("a correct conversation violates no rule", () => {
  const watch = talk("server", [
    ...OPENING,
    '>{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1.5}}',
    '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}',
  ]);
  for (const rule of ["bytes", "ids", "progress", "message-schema"]) {
    assertEquals(watch.settle(rule), { verdict: "pass" }, rule);
  }
  assertEquals(watch.settle("http-status").verdict, "n/a");
});

Deno.test("a response to a request of the kit without a version is judged by no version", () => {
  const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",' +
    '"io.modelcontextprotocol/clientCapabilities":{}}';
  const watch = talk("server", [
    `>{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${meta}}}`,
    '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],"ttlMs":0,' +
    '"cacheScope":"public"}}',
    '>[{"jsonrpc":"2.0","id":"b1","method":"ping"},{"jsonrpc":"2.0","id":"b2","method":"ping"}]',
    '{"jsonrpc":"2.0","id":"b1","result":{}}',
    '{"jsonrpc":"2.0","id":"b2","result":{}}',
  ]);
  assertEquals(watch.settle("message-schema"), { verdict: "pass" });
});

Deno.test("a request of a modern client without its version violates the schema", () => {
  const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",' +
    '"io.modelcontextprotocol/clientCapabilities":{}}';
  const watch = talk("client", [
    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${meta}}}`,
    '>{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],"ttlMs":0,' +
    '"cacheScope":"public"}}',
    '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}',
  ]);
  assertEquals(watch.settle("message-schema").verdict, "fail");
});

Deno.test("each violation on the wire is found by its rule", () => {
  const rows: readonly (readonly [string, readonly string[], string])[] = [
    ["ids", ['{"jsonrpc":"2.0","id":9,"result":{}}'], "a response to no request"],
    ["ids", [OPENING[1] ?? ""], 'response 2 to one request "initialize"'],
    ["ids", ['{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}'], ""],
    [
      "ids",
      ['{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'],
      "a cancellation of no request",
    ],
    ["ids", ['{"jsonrpc":"2.0","id":null,"method":"ping"}'], 'the request "ping" has the id null'],
    [
      "ids",
      ['{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
      'the request "ping" has the id 1 of an earlier request',
    ],
    [
      "progress",
      ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'],
      "progress for an unknown token: 1",
    ],
    ["message-schema", ['{"jsonrpc":"2.0","method":"notifications/message","params":{}}'], "level"],
    ["bytes", [""], "an empty line"],
    ["bytes", ["server started"], "text that is not a message"],
    ["bytes", ['\ufeff{"jsonrpc":"2.0","method":"x"}'], "a byte order mark"],
    ["bytes", ['[{"jsonrpc":"2.0","method":"x"}]'], "JSON that is not one message"],
  ];
  for (const [rule, lines, text] of rows) {
    const run = talk("server", [...OPENING, ...lines]).settle(rule);
    assertEquals(run.verdict, text === "" ? "pass" : "fail", lines[0]);
    assertEquals(run.got?.includes(text) ?? true, true, run.got);
  }
});

Deno.test("progress must increase, and must not follow the response", () => {
  const call =
    '>{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}';
  const progress = (value: number): string =>
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":${value}}}`;
  const again = talk("server", [...OPENING, call, progress(2), progress(2)]).settle("progress");
  assertEquals(again.got, "progress 2 after progress 2");
  const response = '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}';
  const late = talk("server", [...OPENING, call, response, progress(1)]).settle("progress");
  assertEquals(late.got?.startsWith('progress after the response to "tools/call"'), true, late.got);
  const task = '{"jsonrpc":"2.0","id":2,"result":{"task":{"taskId":"t"}}}';
  assertEquals(
    talk("server", [...OPENING, call, task, progress(1)]).settle("progress").verdict,
    "pass",
  );
});

Deno.test("a server may respond to malformed messages with an error without an id", () => {
  const error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}';
  for (const line of [">{", ">7", '>{"jsonrpc":"1.0","id":2,"method":"ping"}']) {
    assertEquals(
      talk("server", [...OPENING, line, error, error]).settle("ids").verdict,
      "pass",
      line,
    );
  }
});

/** The opening of a session in which the server has declared capabilities. */
function openingWith(server: object, client: object = {}): readonly string[] {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: client,
    clientInfo: { name: "k", version: "1" },
  };
  const result = {
    protocolVersion: "2025-11-25",
    capabilities: server,
    serverInfo: { name: "s", version: "1" },
  };
  return [
    `>${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}`,
    JSON.stringify({ jsonrpc: "2.0", id: 1, result }),
    '>{"jsonrpc":"2.0","method":"notifications/initialized"}',
  ];
}

/** Swaps the sides of a conversation. */
function swap(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.startsWith(">") ? line.slice(1) : `>${line}`);
}

/** Formats a request of a modern client. */
function modern(id: number, method: string, params: object = {}, meta: object = {}): string {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    ...meta,
  };
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
}

function notify(method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

Deno.test("a server uses only declared capabilities", () => {
  const changed = notify("notifications/tools/list_changed");
  const ask = '{"jsonrpc":"2.0","id":"q","method":"roots/list"}';
  const verdict = (...lines: readonly string[]): string =>
    talk("server", lines).settle("capabilities").verdict;
  assertEquals(verdict(...openingWith({ tools: { listChanged: true } }), changed), "pass");
  assertEquals(verdict(...openingWith({ tools: {} }), changed), "fail");
  assertEquals(verdict(...openingWith({}, { roots: {} }), ask), "pass");
  assertEquals(verdict(...openingWith({}), ask), "fail");
  assertEquals(verdict(`>${modern(1, "tools/list")}`, "{", ask), "n/a");
});

Deno.test("a client sends only requests that the server supports", () => {
  const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}';
  const verdict = (server: object): string =>
    talk("client", [...swap(openingWith(server)), list]).settle("capabilities").verdict;
  assertEquals(verdict({ tools: {} }), "pass");
  assertEquals(verdict({ prompts: {} }), "fail");
});

Deno.test("a client opens a session before it sends requests", () => {
  const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}';
  const ping = '{"jsonrpc":"2.0","id":3,"method":"ping"}';
  const [first = "", second = "", third = ""] = swap(openingWith({ tools: {} }));
  const verdict = (...lines: readonly string[]): string =>
    talk("client", lines).settle("request-order").verdict;
  assertEquals(verdict(first, second, third, list), "pass");
  assertEquals(verdict(first, second, ping, third, list), "pass");
  assertEquals(verdict(first, second, list, third), "fail");
  assertEquals(verdict(list), "fail");
  assertEquals(verdict(modern(1, "tools/list")), "pass");
});

Deno.test("modern log messages have the log level of an open request", () => {
  const log = (level: string): string => notify("notifications/message", { level, data: "x" });
  const meta = { "io.modelcontextprotocol/logLevel": "warning" };
  const discovered = [
    `>${modern(1, "server/discover")}`,
    '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],' +
    '"capabilities":{"logging":{}},"ttlMs":0,"cacheScope":"private"}}',
  ];
  const verdict = (level: string, given: object): string =>
    talk("server", [...discovered, `>${modern(2, "tools/call", { name: "t" }, given)}`, log(level)])
      .settle("logging").verdict;
  assertEquals(verdict("error", meta), "pass");
  assertEquals(verdict("warning", meta), "pass");
  assertEquals(verdict("info", meta), "fail");
  assertEquals(verdict("error", {}), "fail");
});

Deno.test("modern change notifications belong to an acknowledged subscription", () => {
  const listen = `>${
    modern(1, "subscriptions/listen", { notifications: { toolsListChanged: true } })
  }`;
  const tag = { _meta: { "io.modelcontextprotocol/subscriptionId": 1 } };
  const ready = notify("notifications/subscriptions/acknowledged", {
    ...tag,
    notifications: { toolsListChanged: true },
  });
  const list = [
    `>${modern(9, "tools/list")}`,
    '{"jsonrpc":"2.0","id":9,"result":{"resultType":"complete","tools":[],"ttlMs":0,' +
    '"cacheScope":"private"}}',
  ];
  const changed = notify("notifications/tools/list_changed", tag);
  const verdict = (...lines: readonly string[]): string =>
    talk("server", [...list, listen, ...lines]).settle("subscriptions").verdict;
  assertEquals(verdict(ready, changed, changed), "pass");
  assertEquals(verdict(changed), "fail");
  assertEquals(verdict(ready, ready), "fail");
  assertEquals(verdict(ready, notify("notifications/prompts/list_changed", tag)), "fail");
  assertEquals(verdict(ready, notify("notifications/tools/list_changed")), "fail");
});

Deno.test("the pages of a list have different cursors and one cache scope", () => {
  const page = (
    id: number,
    cursor: string | undefined,
    next: string | undefined,
    scope: string,
  ) => [
    `>${modern(id, "tools/list", cursor === undefined ? {} : { cursor })}`,
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      result: {
        resultType: "complete",
        tools: [],
        ttlMs: 0,
        cacheScope: scope,
        ...(next === undefined ? {} : { nextCursor: next }),
      },
    }),
  ];
  const verdict = (...pages: readonly (readonly string[])[]): string =>
    talk("server", pages.flat()).settle("lists").verdict;
  const first = page(1, undefined, "a", "public");
  assertEquals(
    verdict(first, page(2, "a", "b", "public"), page(3, "b", undefined, "public")),
    "pass",
  );
  assertEquals(verdict(first, page(2, "a", "a", "public")), "fail");
  assertEquals(verdict(first, page(2, "a", "b", "public"), page(3, "b", "a", "public")), "fail");
  assertEquals(verdict(first, page(2, "a", undefined, "private")), "fail");
  assertEquals(verdict(first, page(2, undefined, undefined, "private")), "pass");
  assertEquals(verdict(first, page(2, "invented", "invented", "private")), "pass");
});

Deno.test("modern errors have no reserved code", () => {
  const verdict = (code: number): string =>
    talk("server", [
      `>${modern(1, "tools/list")}`,
      JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message: "no" } }),
    ]).settle("error-codes").verdict;
  for (const code of [-32602, -32000, -32022, -32100, 7]) assertEquals(verdict(code), "pass");
  for (const code of [-32023, -32099, -32002, -32042]) assertEquals(verdict(code), "fail");
});

Deno.test("structured content conforms to the listed output schema", () => {
  const tool = {
    name: "t",
    inputSchema: { type: "object" },
    outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  };
  const verdict = (result: object): string =>
    talk("server", [
      ...openingWith({ tools: {} }),
      '>{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
      JSON.stringify({ jsonrpc: "2.0", id: 2, result: { tools: [tool] } }),
      '>{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}}',
      JSON.stringify({ jsonrpc: "2.0", id: 3, result: { content: [], ...result } }),
    ]).settle("structured-content").verdict;
  assertEquals(verdict({ structuredContent: { n: 1 } }), "pass");
  assertEquals(verdict({ structuredContent: { n: "1" } }), "fail");
  assertEquals(verdict({}), "fail");
  assertEquals(verdict({ isError: true }), "n/a");
});
