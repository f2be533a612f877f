import { assert, assertEquals, assertRejects } from "@std/assert";
import { createEverythingServer } from "../drivers/typescript/everything.ts";
import { KitError } from "../kit/error.ts";
import { readSuite, type Suite } from "../kit/load_cases.ts";
import { exitCode } from "../kit/counts.ts";
import type { Report } from "../kit/report.ts";
import { describeFailure } from "../kit/verdict.ts";
import { type HttpReply, type HttpRequest, listenHttp } from "../platform/http.ts";
import cases from "../testdata/exchange.json" with { type: "json" };
import tasks from "../testdata/tasks.json" with { type: "json" };
import { inspect, run } from "./run.ts";

const SUITE: Suite = readSuite(new Map([["exchange.json", cases]]));
const TASKS: Suite = readSuite(new Map([["tasks.json", tasks]]));
const STDIO = new URL("../drivers/typescript/everything_stdio.ts", import.meta.url).pathname;
const NULL = new URL("../testdata/null_server.ts", import.meta.url).pathname;

function summary({ results }: Report): Readonly<Record<string, string>> {
  return Object.fromEntries(results.map((result) => [
    result.id.replace("mcp/sample/", ""),
    result.verdict === "fail" ? describeFailure(result) : result.verdict,
  ]));
}

Deno.test("run() runs exchange cases against a server over stdio", async () => {
  const report = await run({ subject: { server: ["deno", "run", "-A", STDIO] }, suite: SUITE });
  const verdicts = Object.entries(summary(report));
  assertEquals(verdicts.filter(([, verdict]) => verdict !== "pass"), [[
    "http-notification",
    "n/a",
  ]]);
  assertEquals(report.subjects[0]?.name, "parley-everything");
  assert(report.results.every(({ transport }) => transport === "stdio"));
});

Deno.test("run() polls until a response changes, and reports n/a for undeclared server extensions", async () => {
  const report = await run({
    subject: { server: ["deno", "run", "-A", STDIO] },
    suite: TASKS,
    revision: "2026-07-28",
  });
  const verdicts = report.results.map(({ id, verdict, note }) => [id, verdict, note]);
  assertEquals(verdicts, [
    ["mcp/sample-tasks/polls", "pass", undefined],
    ["mcp/sample-tasks/polls-in-vain", "fail", undefined],
    [
      "mcp/sample-tasks/other-server-extension",
      "n/a",
      'the extension "example.com/other" is not declared',
    ],
  ]);
  assert(report.results[1]?.got?.startsWith('still {"jsonrpc":"2.0"'));
});

/** Runs the everything server with responses as event streams or as JSON. */
function serveHttp(
  asStream: boolean,
  { contentType = "application/json", eventType = "message", toolList }: {
    readonly contentType?: string;
    readonly eventType?: string;
    /** Result or error of every `tools/list` request. */
    readonly toolList?: object;
  } = {},
): (request: HttpRequest, reply: HttpReply) => Promise<void> {
  const creating = createEverythingServer();
  return async ({ method, body }, reply) => {
    if (method !== "POST") {
      reply.head(405, { allow: "POST" });
      return reply.end();
    }
    const message = JSON.parse(new TextDecoder().decode(body));
    if (message.id === undefined) {
      reply.head(202, {});
      return reply.end();
    }
    const response = JSON.stringify(
      toolList !== undefined && message.method === "tools/list"
        ? { jsonrpc: "2.0", id: message.id, ...toolList }
        : await (await creating).handleRequest(message),
    );
    reply.head(200, { "content-type": asStream ? "text/event-stream" : contentType });
    reply.write(
      asStream ? `id: 1\ndata: \n\nevent: ${eventType}\ndata: ${response}\n\n` : response,
    );
    reply.end();
  };
}

for (const asStream of [false, true]) {
  const form = asStream ? "event streams" : "JSON";
  Deno.test(`run() runs exchange cases against an HTTP server that responds with ${form}`, async () => {
    const listener = await listenHttp(serveHttp(asStream));
    try {
      const url = `http://127.0.0.1:${listener.port}/mcp`;
      const verdicts = Object.entries(summary(await run({ subject: { url }, suite: SUITE })));
      assertEquals(verdicts.filter(([, verdict]) => !["pass", "n/a"].includes(verdict)), []);
      assertEquals(verdicts.filter(([, verdict]) => verdict === "n/a").map(([id]) => id), [
        "lives-on-after-rubbish",
        "parse-error",
        "split-bytes",
        "exits-at-end-of-input",
      ]);
    } finally {
      await listener.close();
    }
  });
}

Deno.test("run() fails the cases in which a server responds with another content type", async () => {
  const listener = await listenHttp(serveHttp(false, { contentType: "text/plain" }));
  try {
    const url = `http://127.0.0.1:${listener.port}/mcp`;
    const report = await run({ subject: { url }, suite: SUITE });
    const failed = report.results.filter(({ verdict }) => verdict === "fail");
    assert(failed.length >= 3);
    for (const { got } of failed) {
      assertEquals(
        got,
        'a response with the content type "text/plain" instead of application/json',
      );
    }
  } finally {
    await listener.close();
  }
});

Deno.test("run() fails the first case that needs a session, with the response that a server sent instead of opening it", async () => {
  const badGateway = (_: HttpRequest, reply: HttpReply): Promise<void> => {
    reply.head(502, {});
    reply.write("Bad gateway");
    reply.end();
    return Promise.resolve();
  };
  const redirect = ({ path }: HttpRequest, reply: HttpReply): Promise<void> => {
    reply.head(path === "/mcp" ? 307 : 500, { location: "/mcp/" });
    reply.end();
    return Promise.resolve();
  };
  const servers: readonly (readonly [Parameters<typeof listenHttp>[0], string])[] = [
    [badGateway, "no response, but HTTP 502 Bad gateway"],
    [redirect, "no response, but HTTP 307 redirect to /mcp/"],
    [
      serveHttp(true, { eventType: "msg" }),
      'no response, but an event of the type "msg", which is not "message"',
    ],
  ];
  for (const [serve, got] of servers) {
    const listener = await listenHttp(serve);
    try {
      const subject = { url: `http://127.0.0.1:${listener.port}/mcp` };
      const report = await run({ subject, suite: SUITE, timeoutFactor: 0.05 });
      const [first, ...others] = report.results.filter(({ note = "" }) =>
        note.startsWith("the session could not be opened")
      );
      assertEquals([first?.verdict, first?.got], ["fail", got]);
      assert(first?.trace?.some((line) => line.includes('"method":"initialize"')));
      assert(others.length > 1 && others.every(({ verdict }) => verdict === "not_run"));
      for (const { note } of others) {
        assertEquals(note, `the session could not be opened: got ${got}`);
      }
      assertEquals(exitCode(report), 1);
      const inspecting = (): Promise<unknown> =>
        inspect({ subject, suite: SUITE, timeoutFactor: 0.05 });
      await assertRejects(inspecting, KitError, `got ${got}`);
    } finally {
      await listener.close();
    }
  }
});

Deno.test("run() fails the first case that needs a session, with the line that a server wrote to standard output", async () => {
  const server = ["sh", "-c", "echo Loading the model; cat >/dev/null"];
  const report = await run({ subject: { server }, suite: SUITE, timeoutFactor: 0.05 });
  const failed = report.results.find(({ note }) => note === "the session could not be opened");
  assertEquals(failed?.got, 'no response; the server wrote "Loading the model"');
});

Deno.test("run() fails against a server that loses its tools if the baseline accepts no untestable cases", async () => {
  const [ping] = cases.cases;
  const needs = { fixtures: ["tool:add_numbers"] };
  const withTool = { ...ping, id: "mcp/sample/with-tool", needs };
  const suite = readSuite(new Map([["f", { ...cases, cases: [ping, withTool] }]]));
  const baseline = { entries: [], untestable: 0 };
  const lists: readonly (readonly [object | undefined, string, number])[] = [
    [undefined, "pass", 0],
    [{ result: { tools: [] } }, "untestable", 1],
    [{ error: { code: -32601, message: "Method not found" } }, "untestable", 1],
  ];
  for (const [toolList, verdict, code] of lists) {
    const listener = await listenHttp(serveHttp(false, toolList === undefined ? {} : { toolList }));
    try {
      const subject = { url: `http://127.0.0.1:${listener.port}/mcp` };
      const report = await run({ subject, suite, baseline });
      assertEquals(report.results.map((each) => each.verdict), ["pass", verdict]);
      assertEquals(exitCode(report), code);
    } finally {
      await listener.close();
    }
  }
});

Deno.test("run() and inspect() do not wait for an HTTP server after an interrupt", async () => {
  for (const start of [run, inspect]) {
    const controller = new AbortController();
    const { signal } = controller;
    const listener = await listenHttp(() => Promise.resolve(controller.abort(new Error("stop"))));
    try {
      const subject = { url: `http://127.0.0.1:${listener.port}/mcp` };
      const starting = (): Promise<unknown> =>
        start({ subject, suite: SUITE, timeoutFactor: 100, signal });
      await assertRejects(starting, Error, "stop");
    } finally {
      await listener.close();
    }
  }
});

Deno.test("run() does not wait for the response of an HTTP server after an interrupt", async () => {
  const controller = new AbortController();
  const serve = serveHttp(false);
  let hasStarted = false;
  const listener = await listenHttp(async (request, reply) => {
    if (!hasStarted) return await serve(request, reply);
    controller.abort();
  });
  try {
    const { results } = await run({
      subject: { url: `http://127.0.0.1:${listener.port}/mcp` },
      suite: SUITE,
      select: { only: ["mcp/sample/ping"] },
      timeoutFactor: 100,
      signal: controller.signal,
      onStart: () => hasStarted = true,
    });
    assertEquals(results.map(({ verdict }) => verdict), ["not_run"]);
  } finally {
    await listener.close();
  }
});

Deno.test("run() rejects if a server responds to the first request with an endless body", async () => {
  const listener = await listenHttp((_, reply) => {
    reply.head(200, { "content-type": "application/json" });
    for (let mebibyte = 0; mebibyte < 9; mebibyte++) reply.write(" ".repeat(1024 * 1024));
    return Promise.resolve();
  });
  try {
    const subject = { url: `http://127.0.0.1:${listener.port}/mcp` };
    await assertRejects(
      () => run({ subject, suite: SUITE, timeoutFactor: 0.2 }),
      KitError,
      "got no response (the response is longer than 8388608 bytes)",
    );
  } finally {
    await listener.close();
  }
});

Deno.test("run() rejects if a server is unreachable, does not start, or returns no or always the same response", async () => {
  const refused: readonly (readonly [object, number, string])[] = [
    [{ server: ["no-such-program"] }, 1, 'Cannot start "no-such-program"'],
    [{ server: ["sh", "-c", "exit 3"] }, 0.2, "exited with code 3"],
    [{ server: ["sh", "-c", "cat >/dev/null"] }, 0.1, "got no response"],
    [{ server: ["deno", "run", "-A", NULL, "empty"] }, 1, "the same response to ping"],
    [{ url: "http://127.0.0.1:1/mcp" }, 0.1, "got no response"],
    [
      { url: "http://127.0.0.1:{port}/mcp", start: ["sh", "-c", "cat >/dev/null"] },
      0.01,
      "no program is listening at the URL within 200 ms",
    ],
  ];
  for (const [subject, timeoutFactor, word] of refused) {
    const error = await assertRejects(
      () => run({ subject, suite: SUITE, timeoutFactor }),
      KitError,
      word,
    );
    assertEquals(error.code, "subject_start");
  }
});
