import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { KitError } from "../kit/error.ts";
import { readCaseFile } from "../kit/load_cases.ts";
import { type HttpReply, listenHttp } from "../platform/http.ts";
import { watchProcessGroups } from "../subject/process_groups.ts";
import { findVolatile } from "./find_volatile.ts";
import { formatRecording, parseRecording, type RecordedEvent, type Recording } from "./format.ts";
import { recordHttp } from "./http.ts";
import { Recorder } from "./recorder.ts";
import { Redactor } from "./redact.ts";
import { playStdio } from "./stdio.ts";
import { toCaseFile } from "./to_cases.ts";

const STDIO = new URL("../drivers/typescript/everything_stdio.ts", import.meta.url).pathname;
const { signal } = new AbortController();

function recorder(secrets: readonly string[] = [], patterns: readonly RegExp[] = []): Recorder {
  return new Recorder(new Redactor(secrets, patterns));
}

function line(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("Recorder stores a line as JSON if it can be serialized unchanged, otherwise as text or bytes", () => {
  const recording = recorder();
  recording.addLine("c2s", line('{"id":1}'));
  recording.addLine("c2s", line('{ "id": 1 }\r'));
  recording.addLine("s2c", line("not json"));
  recording.addLine("s2c", Uint8Array.of(0xff, 0x41));
  const { events } = recording.finish({ transport: "stdio" });
  assertEquals(events.map(({ t: _, ...event }) => event), [
    { dir: "c2s", msg: { id: 1 } },
    { dir: "c2s", raw: '{ "id": 1 }\r' },
    { dir: "s2c", raw: "not json" },
    { dir: "s2c", hex: "ff41" },
  ]);
});

Deno.test("Recorder records nothing after its maximum size and marks the recording as truncated", () => {
  const recording = new Recorder(new Redactor([], []), 60);
  recording.addLine("c2s", line('{"id":1}'));
  assertEquals(recording.finish({ transport: "stdio" }).header.truncated, undefined);
  recording.addLine("c2s", line('{"id":"a long id that needs more than sixty characters"}'));
  recording.addLine("c2s", line('{"id":2}'));
  const { header, events } = recording.finish({ transport: "stdio" });
  assertEquals([header.truncated, events.length], [true, 1]);
  parseRecording(formatRecording({ header, events }), "r");
});

Deno.test("playStdio() truncates the recording at a line that exceeds the maximum length", async () => {
  const groups = await watchProcessGroups();
  try {
    const recording = recorder();
    const script =
      "for (let i = 0; i < 65; i++) Deno.stdout.writeSync(new Uint8Array(1048576).fill(97))";
    const command = ["deno", "eval", script];
    await playStdio([], { command, recorder: recording, groups, signal });
    assertEquals(recording.finish({ transport: "stdio", command }).header.truncated, true);
  } finally {
    await groups.close();
  }
});

Deno.test("Recorder replaces secrets before storing events and uses the same placeholder for equal secrets", () => {
  const recording = recorder(["hunter2hunter2", "short"], [/\/home\/\w+/gu]);
  recording.add({ dir: "c2s", msg: { password: "x", text: "hunter2hunter2 short /home/ann" } });
  recording.add({ stderr: "hunter2hunter2" });
  recording.addLine("s2c", line('{ "password": "x" }'));
  recording.add({ dir: "c2s", http: { headers: { authorization: "Bearer a", accept: "*/*" } } });
  const { header, events } = recording.finish({ transport: "stdio" });
  const text = JSON.stringify(events);
  for (const secret of ["hunter2", '"x"', "ann", "Bearer"]) assert(!text.includes(secret), secret);
  assertStringIncludes(text, " short ");
  assertStringIncludes(text, '"accept":"*/*"');
  const [hidden] = /‹redacted:[0-9a-f]{8}›/.exec(events[1]?.stderr ?? "") ?? [];
  assert(hidden !== undefined && JSON.stringify(events[0]).includes(hidden));
  assertEquals(header.redacted, 6);
});

Deno.test("Recorder removes secrets from the command, the URL and the paths of a recording", () => {
  const stdio = recorder(["hunter2hunter2"], [/\/home\/\w+/gu]);
  const { header } = stdio.finish({
    transport: "stdio",
    command: [
      "server",
      "--key=hunter2hunter2",
      "/home/ann/data",
      "https://a:b@x.example/?v=1&key=c",
    ],
  });
  const hidden = "‹redacted:[0-9a-f]{8}›";
  const words = [
    "server",
    `--key=${hidden}`,
    `${hidden}/data`,
    `https://${hidden}@x\\.example/\\?v=1&key=${hidden}`,
  ];
  for (const [index, word] of words.entries()) {
    assertMatch(header.command?.[index] ?? "", new RegExp(`^${word}$`));
  }
  assertEquals(header.redacted, 4);
  const http = recorder();
  http.add({ dir: "c2s", http: { method: "POST", path: "/mcp?access_token=x#y", headers: {} } });
  const recording = http.finish({
    transport: "http",
    url: "https://a@x.example/mcp?code=x&page=2",
  });
  assertMatch(
    recording.header.url ?? "",
    new RegExp(`^https://${hidden}@x\\.example/mcp\\?code=${hidden}&page=2$`),
  );
  assertMatch(
    recording.events[0]?.http?.path ?? "",
    new RegExp(`^/mcp\\?access_token=${hidden}#y$`),
  );
});

Deno.test("parseRecording() parses the output of formatRecording() and names the file if the text is invalid", () => {
  const recording: Recording = {
    header: { recording: 1, tool: "t", at: "2026-01-02T03:04:05.678Z", transport: "stdio" },
    events: [{ t: 0, dir: "c2s", msg: { id: 1 } }, { t: 1, exit: { code: 0, signal: null } }],
  };
  assertEquals(parseRecording(formatRecording(recording), "r"), recording);
  for (const text of ["", "x", '{"recording":2}', `${formatRecording(recording)}{"t":1,"x":1}`]) {
    assertThrows(() => parseRecording(text, "r.jsonl"), KitError, '"r.jsonl"');
  }
});

function exchange(...pairs: readonly (readonly [object, object])[]): readonly RecordedEvent[] {
  return pairs.flatMap(([request, response], id) => [
    { t: 0, dir: "c2s" as const, msg: { jsonrpc: "2.0", id, ...request } },
    { t: 0, dir: "s2c" as const, msg: { jsonrpc: "2.0", id, ...response } },
  ]);
}

Deno.test("findVolatile() returns the request id and path of each value that differs", () => {
  const one = exchange([{ method: "a" }, { result: { list: [{ "a/b": 1 }, 2], same: true } }]);
  const other = exchange([{ method: "a" }, { result: { list: [{ "a/b": 3 }, 2], same: true } }]);
  assertEquals(findVolatile(one, other), ["0/result/list/0/a~1b"]);
  assertEquals(findVolatile(one, one), []);
});

Deno.test("toCaseFile() creates a case per request, with captures and matchers for values that can change", () => {
  const recording: Recording = {
    header: {
      recording: 1,
      tool: "t",
      at: "2026-01-02T03:04:05.678Z",
      transport: "stdio",
      command: ["server"],
      volatile: ["2/result/count"],
    },
    events: exchange(
      [{ method: "initialize" }, { result: {} }],
      [{ method: "tools/list" }, { result: { tools: [{ name: "echo" }], nextCursor: "p2" } }],
      [{ method: "tools/list", params: { cursor: "p2" } }, { result: { tools: [], count: 7 } }],
      [
        { method: "tools/call", params: { name: "echo", _meta: { progressToken: 1 } } },
        { result: { at: "2026-01-02T03:04:05Z", text: "some prose here", $x: 1 } },
      ],
      [{ method: "no/such" }, { error: { code: -32601, message: "no" } }],
    ),
  };
  const file = toCaseFile(recording, { area: "mcp/recorded/x", isGolden: false });
  const checked = readCaseFile(file);
  assert(checked.ok, checked.ok ? "" : checked.reason);
  const steps = checked.value.cases.map((each) => each.kind === "exchange" ? each.steps : []);
  assertEquals(checked.value.cases.map(({ id }) => id), [
    "mcp/recorded/x/tools-list",
    "mcp/recorded/x/tools-list-2",
    "mcp/recorded/x/tools-call-echo",
    "mcp/recorded/x/no-such",
  ]);
  assertEquals(steps[1], [
    {
      request: { method: "tools/list" },
      expect: { result: { nextCursor: { $capture: "cursor" } } },
    },
    {
      request: { method: "tools/list", params: { cursor: { $ref: "cursor" } } },
      expect: { result: { tools: [], count: { $type: "number" } } },
    },
  ]);
  assertEquals(steps[2]?.[0], {
    request: { method: "tools/call", params: { name: "echo" } },
    expect: {
      result: { $const: { at: "2026-01-02T03:04:05Z", text: "some prose here", $x: 1 } },
    },
  });
  assertEquals(steps[3]?.[0], {
    request: { method: "no/such" },
    expect: { error: { code: -32601 } },
  });
  assertEquals(checked.value.cases[2]?.needs, { capabilities: ["tools"], fixtures: ["tool:echo"] });
});

Deno.test("playStdio() sends messages sequentially and records both directions until the server exits", async () => {
  await using groups = await watchProcessGroups();
  const recording = recorder();
  const command = ["deno", "run", "-A", STDIO];
  const exit = await playStdio([
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "x", version: "1" },
      },
    },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "ping" },
  ], { command, recorder: recording, groups, signal });
  assertEquals(exit, { code: 0, signal: null });
  const { events } = recording.finish({ transport: "stdio" });
  assertEquals(events.map(({ dir, eof }) => eof ? "eof" : dir), [
    "c2s",
    "s2c",
    "c2s",
    "c2s",
    "s2c",
    "eof",
    undefined,
  ]);
});

Deno.test("recordHttp() forwards requests and records headers, bodies and events", async () => {
  const server = await listenHttp((request, reply: HttpReply) => {
    const isStream = request.path === "/mcp/stream";
    reply.head(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    reply.write(isStream ? 'id: 7\ndata: {"id":1}\n\n' : '{"id":2}');
    reply.end();
    return Promise.resolve();
  });
  const recording = recorder();
  const target = new URL(`http://127.0.0.1:${server.port}/mcp`);
  const proxy = await recordHttp(target, recording, 0);
  try {
    const url = `http://127.0.0.1:${proxy.port}`;
    const plain = await fetch(url, { method: "POST", body: '{"id":2}' });
    assertEquals(await plain.json(), { id: 2 });
    const stream = await fetch(`${url}/mcp/stream`);
    assertEquals(await stream.text(), 'id: 7\ndata: {"id":1}\n\n');
  } finally {
    await proxy.close();
    await server.close();
  }
  const { events } = recording.finish({ transport: "http" });
  assertEquals(events.map(({ dir, http, sse, msg }) => [dir, http?.status, sse?.id, msg]), [
    ["c2s", undefined, undefined, { id: 2 }],
    ["s2c", 200, undefined, { id: 2 }],
    ["c2s", undefined, undefined, undefined],
    ["s2c", 200, undefined, undefined],
    ["s2c", undefined, "7", { id: 1 }],
  ]);
});
