import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { hideInRpcErrors } from "./rpc_error_body.ts";

function hide(text: string): string {
  return text.replaceAll("planted", "...");
}

/** Creates a response whose body arrives in chunks of the given length. */
function responseOf(text: string, type: string, length = 5): Response {
  const bytes = new TextEncoder().encode(text);
  let start = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (start >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(start, start += length));
    },
  });
  return new Response(body, { headers: { "content-type": type, "content-length": "1" } });
}

const JSON_TYPE = "application/json; charset=utf-8";
const ERROR = { code: -32000, message: "bad planted", data: { planted: ["planted", 1, null] } };
const HIDDEN = { code: -32000, message: "bad ...", data: { "...": ["...", 1, null] } };

Deno.test("hideInRpcErrors() removes secrets from JSON-RPC errors", async () => {
  const message = (error: unknown) => ({ jsonrpc: "2.0", id: 1, error });
  const response = hideInRpcErrors(responseOf(JSON.stringify(message(ERROR)), JSON_TYPE), hide);
  assertEquals(response.headers.get("content-length"), null);
  assertEquals(await response.json(), message(HIDDEN));
  const result = { jsonrpc: "2.0", id: 2, result: { text: "planted" } };
  const batch = responseOf(JSON.stringify([result, message(ERROR)]), "application/json");
  assertEquals(await hideInRpcErrors(batch, hide).json(), [result, message(HIDDEN)]);
  const escaped = '{"jsonrpc":"2.0","id":1,"\\u0065rror":{"code":1,"message":"\\u0070lanted"}}';
  const clear = await hideInRpcErrors(responseOf(escaped, "application/json"), hide).json();
  assertEquals(clear.error, { code: 1, message: "..." });
});

Deno.test("hideInRpcErrors() removes secrets from the errors of an event stream", async () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const error = JSON.stringify({ jsonrpc: "2.0", id: 1, error: ERROR });
    const result = JSON.stringify({ jsonrpc: "2.0", id: 2, result: { text: "planted" } });
    const half = error.indexOf(",") + 1;
    const lines = [
      ": planted comment",
      "",
      "id: 7",
      `data: ${error.slice(0, half)}`,
      `data: ${error.slice(half)}`,
      "",
      `data: ${result}`,
      "",
      "",
    ];
    const given = responseOf(lines.join(end), "text/event-stream");
    const text = await hideInRpcErrors(given, hide).text();
    const events = text.split(end === "\n" ? /\n\n/ : /\n\n|\r\n\r\n|\r\r/);
    assertEquals(events[0], ": planted comment");
    assertEquals(events[1]?.split("\n")[0], "id: 7");
    assertEquals(JSON.parse(events[1]?.split("data: ")[1] ?? "").error, HIDDEN);
    assertEquals(events[2], `data: ${result}`);
  }
});

Deno.test("hideInRpcErrors() finds the ends of events in all forms, in chunks of any length", async () => {
  const error = JSON.stringify({ jsonrpc: "2.0", id: 1, error: ERROR });
  const ends = ["\n", "\r\n", "\r"];
  for (const first of ends) {
    for (const second of ends.filter((end) => first !== "\r" || end !== "\n")) {
      const text = `data: ${error}${first}${second}`.repeat(3);
      for (const length of [1, 2, 3, 1000]) {
        const given = responseOf(text, "text/event-stream", length);
        const hidden = await hideInRpcErrors(given, hide).text();
        assertEquals(hidden.includes("planted"), false, JSON.stringify([first, second, length]));
        assertEquals(hidden.match(/data: /g)?.length, 3);
      }
    }
  }
});

Deno.test("hideInRpcErrors() does not change the bytes of events without an error", async () => {
  const text = "id: 1\r\ndata: a\r\rdata: b\n\r\ndata\n\n\n\n: c\r\n\ndata: d\r";
  for (const length of [1, 2, 1000]) {
    const given = responseOf(text, "text/event-stream", length);
    assertEquals(await hideInRpcErrors(given, hide).text(), text);
  }
});

Deno.test("hideInRpcErrors() takes linear time for a long event in small chunks", async () => {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    error: { code: 1, message: `planted${"x".repeat(1e6)}` },
  };
  const given = responseOf(`data: ${JSON.stringify(message)}\n\n`, "text/event-stream", 20);
  const startedAt = performance.now();
  const text = await hideInRpcErrors(given, hide).text();
  assertEquals(text.includes("planted"), false);
  // Inspecting the whole event for each chunk would take minutes.
  assert(performance.now() - startedAt < 10_000);
});

Deno.test("hideInRpcErrors() passes on each event as soon as it is complete", async () => {
  let send: (text: string) => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const given = new Response(body, { headers: { "content-type": "text/event-stream" } });
  const reader = hideInRpcErrors(given, hide).body?.getReader();
  send("data: 1\n\ndata: 2");
  const { value } = await reader?.read() ?? {};
  assertEquals(new TextDecoder().decode(value), "data: 1\n\n");
  await reader?.cancel();
});

Deno.test("hideInRpcErrors() does not change other bodies", async () => {
  for (
    const text of [
      '{"jsonrpc":"2.0","id":1,"result":{"error":"planted"}}',
      '{ "jsonrpc": "2.0", "id": 1, "error": { "code": 1, "message": "other" } }',
      '{"error" planted',
      `${" ".repeat(10 * 1024 * 1024)}{"error":"planted"}`,
      "",
    ]
  ) {
    const given = responseOf(text, "application/json", 65_536);
    assertEquals(await hideInRpcErrors(given, hide).text(), text);
  }
  const bytes = new Uint8Array([0x22, 0xff, 0x22]);
  const broken = new Response(bytes, { headers: { "content-type": "application/json" } });
  assertEquals(await hideInRpcErrors(broken, hide).bytes(), bytes);
  for (const response of [new Response("planted"), new Response(null, { status: 204 })]) {
    assertStrictEquals(hideInRpcErrors(response, hide), response);
  }
});

Deno.test("reading the body fails if the secrets cannot be removed", async () => {
  const fail = () => {
    throw new Error("cannot hide");
  };
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, error: ERROR });
  for (
    const [body, type] of [[text, "application/json"], [`data: ${text}\n\n`, "text/event-stream"]]
  ) {
    const response = hideInRpcErrors(responseOf(body ?? "", type ?? ""), fail);
    await assertRejects(() => response.text(), Error, "cannot hide");
  }
});
