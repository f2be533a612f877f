import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { KitError } from "../kit/error.ts";
import type { Report } from "../kit/report.ts";
import { type HttpReply, type HttpRequest, listenHttp } from "../platform/http.ts";
import { loadSuite } from "../suite.ts";
import { run } from "./run.ts";

const SERVER = new URL("../testdata/hopeless_server.ts", import.meta.url).pathname;
const ERAS = ["2025-11-25", "2026-07-28"] as const;
/** With this factor, the kit waits for 500 ms for a response while it opens a session. */
const FACTOR = 0.05;
/** More than all waits in these runs, on a busy machine, and less than one wait per case. */
const MAX_MS = 15_000;

function hopeless(mode: string): readonly string[] {
  return ["deno", "run", "-A", SERVER, mode];
}

/**
 * Asserts that one case failed, and that no other case was run. Returns the failed case's cause.
 */
function onlyCause({ results, ms }: Report): string {
  assert(ms < MAX_MS, `the run took ${ms} ms`);
  const failed = results.filter(({ verdict }) => ["fail", "crash", "hang"].includes(verdict));
  assertEquals(failed.length, 1);
  assertEquals(results.filter(({ verdict }) => verdict === "pass"), []);
  const notes = results.flatMap(({ verdict, note }) => verdict === "not_run" ? [note] : []);
  assert(notes.length > 100, `${notes.length} cases were not run`);
  assertEquals(new Set(notes).size, 1);
  return failed[0]?.got ?? "";
}

for (const revision of ERAS) {
  Deno.test(`run() in ${revision} fails one case of a server over stdio that sends no response`, async () => {
    const subjects = [
      [["sh", "-c", "cat"], '"method":"'],
      [hopeless("garbage"), 'no response; the server wrote "<html>not found</html>"'],
    ] as const;
    for (const [server, cause] of subjects) {
      const report = await run({ subject: { server }, revision, timeoutFactor: FACTOR });
      assertStringIncludes(onlyCause(report), cause);
    }
  });

  Deno.test(`run() in ${revision} reports a server over stdio that exits or sends nothing as not started`, async () => {
    const subjects = [
      ["closes", "got no response (the process exited with code 0)"],
      ["mute", "expected a response to "],
      ["silent", "got no response"],
    ] as const;
    for (const [mode, cause] of subjects) {
      const running = (): Promise<unknown> =>
        run({ subject: { server: hopeless(mode) }, revision, timeoutFactor: FACTOR });
      const error = await assertRejects(running, KitError, cause);
      assertEquals(error.code, "subject_start");
    }
  });

  Deno.test(`run() in ${revision} fails one case of an HTTP server that responds to everything in the same way`, async () => {
    const answers = [
      [{ status: 404, type: "text/plain", text: "Not found" }, "HTTP 404 Not found"],
      [{ status: 401, type: "application/json", text: '{"error":"login"}' }, "HTTP 401 "],
      [{ status: 200, type: "text/html", text: "<html>Welcome</html>" }, "<html>Welcome</html>"],
      [{ status: 202, type: "text/plain", text: "" }, "a response with the status 202"],
      [
        { status: 200, type: "text/event-stream", text: ": nothing\n\n" },
        "an event stream with the status 200 that does not contain the response",
      ],
      [
        { status: 200, type: "application/json", text: '{"jsonrpc":"2.0","id":99,"result":{}}' },
        'another message: {"jsonrpc":"2.0","id":99,"result":{}}',
      ],
    ] as const;
    for (const [answer, cause] of answers) {
      const listener = await listenHttp((_, reply) => send(reply, answer));
      try {
        const url = `http://127.0.0.1:${listener.port}/mcp`;
        // A run that waited for a response would take longer than `MAX_MS`.
        const report = await run({ subject: { url }, revision, timeoutFactor: 10 });
        assertStringIncludes(onlyCause(report), cause);
      } finally {
        await listener.close();
      }
    }
  });
}

Deno.test("run() fails one case of a server that negotiates an unknown version, and runs only cases without a session", async () => {
  const listener = await listenHttp(serveUnknownVersion);
  const subjects = [
    { server: hopeless("unknown-version") },
    { url: `http://127.0.0.1:${listener.port}/mcp` },
  ];
  const suite = loadSuite();
  try {
    for (const subject of subjects) {
      const { results, ms } = await run({ subject, timeoutFactor: FACTOR });
      assert(ms < MAX_MS, `the run took ${ms} ms`);
      const withSession = results.filter(({ id, verdict }) => {
        const each = suite.get(id);
        return each?.kind === "exchange" && each.session !== "none" && verdict !== "n/a";
      });
      const failed = withSession.filter(({ verdict }) => verdict !== "not_run");
      assertEquals(failed.map(({ verdict, got }) => [verdict, got]), [
        ["fail", '"1999-01-01" in the response to initialize with "2025-11-25"'],
      ]);
      assert(withSession.length > 100);
    }
  } finally {
    await listener.close();
  }
});

Deno.test("run() does not run cases in a modern version that the server does not support", async () => {
  const running = run({
    subject: { server: hopeless("unknown-version") },
    revision: "2026-07-28",
    timeoutFactor: FACTOR,
  });
  const { results } = await running;
  const [first] = results.filter(({ note }) => note === "the session could not be opened");
  assertEquals([first?.verdict, first?.expected, first?.got], [
    "fail",
    '"2026-07-28" in supportedVersions',
    '["1999-01-01"]',
  ]);
});

Deno.test("run() ends if a server over HTTP is no longer reachable", async () => {
  let requests = 0;
  const listener = await listenHttp(async (request, reply) => {
    if (++requests > 8) return reply.drop();
    await serveUnknownVersion(request, reply, "2025-11-25");
  });
  try {
    const url = `http://127.0.0.1:${listener.port}/mcp`;
    const { results, ms } = await run({ subject: { url }, timeoutFactor: 1 });
    assert(ms < MAX_MS, `the run took ${ms} ms`);
    const failed = results.filter(({ verdict }) => ["fail", "crash"].includes(verdict));
    assert(failed.length < 20, `${failed.length} cases failed`);
  } finally {
    await listener.close();
  }
});

function send(
  reply: HttpReply,
  { status, type, text }: { readonly status: number; readonly type: string; readonly text: string },
): Promise<void> {
  reply.head(status, { "content-type": type });
  reply.write(text);
  reply.end();
  return Promise.resolve();
}

/** Responds to requests, but accepts only the version that it has negotiated. */
function serveUnknownVersion(
  { method, body }: HttpRequest,
  reply: HttpReply,
  protocolVersion = "1999-01-01",
): Promise<void> {
  if (method !== "POST") return send(reply, { status: 405, type: "text/plain", text: "" });
  const { id, method: name } = JSON.parse(new TextDecoder().decode(body));
  if (id === undefined) return send(reply, { status: 202, type: "text/plain", text: "" });
  const serverInfo = { name: "hopeless", version: "0" };
  const outcome = name === "initialize"
    ? { result: { protocolVersion, capabilities: {}, serverInfo } }
    : name === "ping"
    ? { result: {} }
    : { error: { code: -32601, message: "Method not found" } };
  const text = JSON.stringify({ jsonrpc: "2.0", id, ...outcome });
  return send(reply, { status: 200, type: "application/json", text });
}
