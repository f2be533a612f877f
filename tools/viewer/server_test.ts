import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openViewer } from "./open_viewer.ts";
import { type Decision, serveViewer, type Viewer, type ViewerOptions } from "./server.ts";

async function* never(): AsyncGenerator<unknown> {
  await new Promise<void>(() => {});
  yield undefined;
}

async function* listed(...events: unknown[]): AsyncGenerator<unknown> {
  for (const event of events) yield await Promise.resolve(event);
}

function serve(options: Partial<ViewerOptions> = {}): Viewer {
  return serveViewer({ events: listed(), decide: () => true, ...options });
}

/** Sends a request with arbitrary headers. `fetch` does not send a changed `Host`. */
async function send(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(text));
  return await new Response(connection.readable).text();
}

function get(path: string, host: string, ...headers: string[]): string {
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, "Connection: close", ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

async function postDecision(viewer: Viewer, body: string, origin?: string): Promise<number> {
  const headers = { "content-type": "application/json", ...origin && { origin } };
  const response = await fetch(`${viewer.url}decide`, { method: "POST", headers, body });
  await response.body?.cancel();
  return response.status;
}

Deno.test("serveViewer() sends the page and its scripts without types", async () => {
  await using viewer = serve();
  const page = await fetch(viewer.url);
  assertStringIncludes(await page.text(), "<body data-live>");
  const policy = page.headers.get("content-security-policy") ?? "";
  assertStringIncludes(policy, "default-src 'none'; script-src 'self'; style-src 'self'");
  assert(!policy.includes("unsafe"));
  for (const name of ["viewer", "timeline", "rows", "axis", "log"]) {
    const script = await fetch(`${viewer.url}${name}.js`);
    const text = await script.text();
    assertEquals(script.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert(!/\.ts"|^import type|^interface /m.test(text), `${name}.js`);
  }
});

Deno.test("serveViewer() rejects requests with another host, origin, token, path or method", async () => {
  await using viewer = serve();
  const { host, origin, pathname } = new URL(viewer.url);
  const requests: [expected: number, request: string][] = [
    [200, get(pathname, host)],
    [200, get(pathname, host, `Origin: ${origin}`)],
    [403, get(pathname, "attacker.example")],
    [403, get(pathname, `attacker.example:${new URL(viewer.url).port}`)],
    [403, get(pathname, host, "Origin: https://attacker.example")],
    [403, get(`${pathname}events`, host, "Origin: null")],
    [404, get("/", host)],
    [404, get(`/${"0".repeat(32)}/`, host)],
    [404, get(`${pathname}server.ts`, host)],
    [404, get(`${pathname}../viewer.html`, host)],
    [404, get(`${pathname}a/b`, host)],
    [405, get(pathname, host).replace("GET", "DELETE")],
    [405, get(`${pathname}decide`, host)],
  ];
  for (const [expected, request] of requests) {
    const response = await send(viewer.url, request);
    assertEquals(response.slice(9, 12), `${expected}`, request);
    assert(!/access-control-allow/i.test(response), request);
  }
});

Deno.test("serveViewer() accepts a decision only with its own origin and a valid body", async () => {
  const decisions: [string, Decision][] = [];
  await using viewer = serve({
    events: never(),
    decide: (key, decision) => key === "known" && decisions.push([key, decision]) > 0,
  });
  const { origin } = new URL(viewer.url);
  const body = JSON.stringify({ key: "known", decision: "approve" });
  assertEquals(await postDecision(viewer, body), 403);
  assertEquals(await postDecision(viewer, body, "https://attacker.example"), 403);
  const invalid = ["", "{", "null", "[]", '{"key":1,"decision":"approve"}', '{"key":"known"}'];
  const unknown = JSON.stringify({ key: "known", decision: "maybe" });
  for (const each of [...invalid, unknown, `"${"x".repeat(5000)}"`]) {
    assertEquals(await postDecision(viewer, each, origin), 400, each.slice(0, 40));
  }
  const other = JSON.stringify({ key: "unknown", decision: "deny" });
  assertEquals(await postDecision(viewer, other, origin), 409);
  assertEquals(decisions, []);
  assertEquals(await postDecision(viewer, body, origin), 204);
  assertEquals(decisions, [["known", "approve"]]);
});

Deno.test("serveViewer() sends all events to each page, and continues after the last received event", async () => {
  await using viewer = serve({ events: listed({ type: "a" }, { type: "</script>" }) });
  await viewer.finished;
  const all = 'id: 0\ndata: {"type":"a"}\n\nid: 1\ndata: {"type":"</script>"}\n\n';
  const end = "event: end\ndata:\n\n";
  assertEquals(await (await fetch(`${viewer.url}events`)).text(), all + end);
  const headers = { "last-event-id": "0" };
  const rest = await (await fetch(`${viewer.url}events`, { headers })).text();
  assertEquals(rest, all.slice(all.indexOf("id: 1")) + end);
});

Deno.test("serveViewer() stores at most maxChars characters, and reports the limit", async () => {
  await using viewer = serve({
    events: listed({ type: "a" }, { type: "b".repeat(100) }, { type: "c" }),
    maxChars: 50,
  });
  await viewer.finished;
  const text = await (await fetch(`${viewer.url}events`)).text();
  assertStringIncludes(text, '"type":"a"');
  assertStringIncludes(text, "Later events are missing: the viewer stores 50 characters");
  assert(!text.includes("bbb") && !text.includes('"c"'));
});

Deno.test("serveViewer() serves at most maxPages pages at the same time", async () => {
  await using viewer = serve({ events: never(), maxPages: 1 });
  const first = await fetch(`${viewer.url}events`);
  const second = await fetch(`${viewer.url}events`);
  assertEquals([first.status, second.status], [200, 503]);
  await second.body?.cancel();
  await first.body?.cancel();
});

Deno.test("close() ends the connections of pages, and can be called repeatedly", async () => {
  const viewer = serve({ events: never() });
  const { body } = await fetch(`${viewer.url}events`);
  await Promise.all([viewer.close(), viewer.close(), body?.cancel()]);
  const error = await fetch(viewer.url).catch((each: unknown) => each);
  assert(error instanceof TypeError);
});

Deno.test("serveViewer() closes the server when the signal is aborted", async () => {
  const abort = new AbortController();
  const viewer = serve({ events: never(), signal: abort.signal });
  abort.abort();
  await viewer.close();
  const error = await fetch(viewer.url).catch((each: unknown) => each);
  assert(error instanceof TypeError);
});

Deno.test("approve() resolves with the decision of the page, and rejects when the viewer is closed", async () => {
  const abort = new AbortController();
  const viewer = openViewer({ title: "Test", signal: abort.signal });
  const toolCall = { toolCallId: "1", toolName: "save", input: {} };
  const approvals = [1, 2, 3].map((n) =>
    viewer.approve({ agentName: "ann", runId: `r${n}`, toolCall })
  );
  const keys = await readKeys(viewer.url, 3);
  const headers = { origin: new URL(viewer.url).origin };
  for (const [index, decision] of ["approve", "deny"].entries()) {
    const body = JSON.stringify({ key: keys[index], decision });
    const sent = { method: "POST", headers, body };
    assertEquals((await fetch(`${viewer.url}decide`, sent)).status, 204);
    const again = await fetch(`${viewer.url}decide`, sent);
    assertEquals(again.status, 409);
    await again.body?.cancel();
  }
  assertEquals(await Promise.all(approvals.slice(0, 2)), [true, false]);
  const finished = viewer.finish();
  abort.abort(new Error("Interrupted"));
  const error = await approvals[2]?.catch((each: unknown) => each);
  assert(error instanceof Error && error.message === "Interrupted");
  await finished;
});

/** Reads the keys of requested decisions from the events. */
async function readKeys(url: string, count: number): Promise<string[]> {
  const response = await fetch(`${url}events`);
  let text = "";
  for await (
    const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())
  ) {
    text += chunk;
    const keys = [...text.matchAll(/"key":"([^"]+)"/g)].map(([, key = ""]) => key);
    if (keys.length === count) return keys;
  }
  throw new Error(`The stream ended after: ${text}`);
}
