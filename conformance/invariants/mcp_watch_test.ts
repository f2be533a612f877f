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

Deno.test("a server may answer what it cannot read with an error without an id", () => {
  const error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}';
  for (const line of [">{", ">7", '>{"jsonrpc":"1.0","id":2,"method":"ping"}']) {
    assertEquals(
      talk("server", [...OPENING, line, error, error]).settle("ids").verdict,
      "pass",
      line,
    );
  }
});
