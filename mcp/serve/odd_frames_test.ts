/**
 * Tests with malformed and unusual frames as sent by real clients and proxies. The server must
 * respond to or ignore each frame without crashing or ending the session.
 */

import { assertEquals } from "@std/assert";
import { mcpHandler } from "../server.ts";
import { McpServer } from "../server/mcp_server.ts";

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const DEEP = `${"[".repeat(5000)}${"]".repeat(5000)}`;

/**
 * Test cases: description, bytes, and expected response (error code and id, `"result"`, or `null`
 * for no response).
 */
type OddFrame = readonly [
  string,
  string | Uint8Array,
  readonly [number, unknown] | "result" | null,
];

const FRAMES: readonly OddFrame[] = [
  ["invalid JSON", "hello", [-32700, null]],
  ["truncated JSON", '{"jsonrpc":"2.0","id":1,"meth', [-32700, null]],
  ["an empty batch", "[]", [-32600, null]],
  ["a batch", `[${PING},${PING}]`, [-32600, null]],
  ["jsonrpc 1.0", '{"jsonrpc":"1.0","id":1,"method":"ping"}', [-32600, 1]],
  ["no jsonrpc", '{"id":1,"method":"ping"}', [-32600, 1]],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', [-32600, null]],
  ["a method that is a number", '{"jsonrpc":"2.0","id":1,"method":1}', [-32600, 1]],
  ["a number", "17", [-32600, null]],
  ["a byte order mark", new Uint8Array([0xef, 0xbb, 0xbf, ...bytes(PING)]), "result"],
  ["a null id", '{"jsonrpc":"2.0","id":null,"method":"ping"}', [-32600, null]],
  ["no method", '{"jsonrpc":"2.0","id":1}', [-32600, 1]],
  ["a line of spaces", " ", [-32700, null]],
  ["a response without a request", '{"jsonrpc":"2.0","id":9,"result":{}}', null],
  ["an unknown notification", '{"jsonrpc":"2.0","method":"notifications/odd"}', null],
  ["a fractional id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', [-32600, null]],
  ["an additional member", '{"jsonrpc":"2.0","id":1,"method":"ping","odd":true}', "result"],
  ["null params", '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}', "result"],
  ["array params", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', [-32602, 1]],
  ["two ids", '{"jsonrpc":"2.0","id":7,"id":1,"method":"ping"}', "result"],
  ["deep nesting", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${DEEP}}}`, "result"],
  ["a carriage return at the end", `${PING}\r`, "result"],
  ["invalid UTF-8", noUtf8(), [-32700, null]],
];

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function noUtf8(): Uint8Array<ArrayBuffer> {
  const [before = "", after = ""] = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"?"}}'
    .split("?");
  return new Uint8Array([...bytes(before), 0xff, 0xfe, ...bytes(after)]);
}

function toBytes(frame: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof frame === "string" ? bytes(frame) : new Uint8Array(frame);
}

/** Response members checked by the tests. */
interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error: { readonly code: number };
}

function summarize(answer: Answer): OddFrame[2] {
  return "result" in answer ? "result" : [answer.error.code, answer.id];
}

Deno.test("serveStdio() sends the expected response, or none, for each unusual frame and keeps running", async () => {
  const path = new URL("../testdata/adder.ts", import.meta.url).pathname;
  const child = new Deno.Command("deno", {
    args: ["run", "-A", "--quiet", path],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async () => {
    while (!text.includes("\n")) {
      const { done, value } = await reader.read();
      if (done) throw new Error("The process has exited");
      text += value;
    }
    const end = text.indexOf("\n");
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    return JSON.parse(line);
  };
  for (const [what, frame, expected] of FRAMES) {
    await writer.write(new Uint8Array([...toBytes(frame), 0x0a]));
    await writer.write(bytes(`{"jsonrpc":"2.0","id":"alive ${what}","method":"ping"}\n`));
    const answers = [await next()];
    while (answers.at(-1).id !== `alive ${what}`) answers.push(await next());
    // On a line-based transport, a line of spaces separates messages. As an HTTP body, a line of
    // spaces is an invalid message.
    const isSkipped = expected === null || what === "a line of spaces";
    assertEquals(answers.slice(0, -1).map(summarize), isSkipped ? [] : [expected], what);
  }
  await writer.close();
  assertEquals((await reader.read()).done, true);
  assertEquals((await child.status).code, 0);
});

Deno.test("mcpHandler() returns the expected response, or status 202 without a body, for each unusual frame", async () => {
  const handler = mcpHandler(new McpServer({ name: "s", version: "1" }));
  const send = (frame: string | Uint8Array, headers: Record<string, string>) =>
    handler(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: toBytes(frame),
      }),
    );
  const clientInfo = { name: "c", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const opened = await send(initialize, {});
  await opened.body?.cancel();
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  for (const [what, frame, expected] of FRAMES) {
    const response = await send(frame, session);
    if (expected === null) {
      assertEquals([response.status, await response.text()], [202, ""], what);
    } else {
      assertEquals(response.status, expected === "result" ? 200 : 400, what);
      assertEquals(summarize(await response.json()), expected, what);
    }
    assertEquals((await (await send(PING, session)).json()).result, {}, what);
  }
  await handler.close();
});
