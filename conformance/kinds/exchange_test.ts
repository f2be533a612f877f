import { assertEquals, assertRejects } from "@std/assert";
import type { ExchangeCase, WireStep } from "../kit/case.ts";
import { RpcConnection } from "../subject/rpc_connection.ts";
import { Trace } from "../subject/trace.ts";
import { CaseEnd } from "./case_end.ts";
import { runExchange } from "./exchange.ts";

/** Runs steps against a server that sends the given messages after each message of the kit. */
async function failureOf(steps: readonly WireStep[], messages: readonly unknown[] = []) {
  const each: ExchangeCase = {
    id: "mcp/x/y",
    kind: "exchange",
    role: "server",
    title: "t",
    level: "MUST",
    basis: "spec",
    clauses: [],
    source: "s",
    why: "w",
    steps,
  };
  const wire = {
    send: () => messages.forEach((message) => peer.take(message)),
    sendText: () => {},
    sendBytes: () => {},
  };
  const peer: RpcConnection = new RpcConnection(wire, new Trace());
  const end = await assertRejects(
    () =>
      runExchange(each, {
        peer,
        captures: new Map(),
        deadlineMs: 20,
        scale: 1,
        nextId: () => 7,
        downReason: () => undefined,
      }),
    CaseEnd,
  );
  return end.run;
}

const NOTE = { notify: { method: "notifications/x", params: { a: 1 } } };
const SENT = '{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}';

Deno.test("runExchange() reports the last message that the kit sent if an expected message is missing", async () => {
  const run = await failureOf([NOTE, { receive: { method: "ping" } }]);
  assertEquals(run, {
    verdict: "fail",
    sent: SENT,
    expected: 'a message that matches {"method":"ping"} within 20 ms',
    got: "no response",
  });
});

Deno.test("runExchange() reports the last message that the kit sent if another message arrives", async () => {
  const other = { jsonrpc: "2.0", id: 1, method: "roots/list" };
  const received = await failureOf([NOTE, { receive: { method: "ping" } }], [other]);
  assertEquals([received.sent, received.expected], [SENT, '"ping" at $.method']);
  const silent = await failureOf([NOTE, { noMessage: { method: "roots/list" } }], [other]);
  assertEquals([silent.sent, silent.got], [SENT, JSON.stringify(other)]);
});

Deno.test("runExchange() reports the request if its response is missing", async () => {
  const run = await failureOf([{ request: { method: "ping" } }]);
  assertEquals(run.sent, '{"jsonrpc":"2.0","method":"ping","id":7}');
  assertEquals(run.expected, "a response within 20 ms");
});

Deno.test("runExchange() reports no sent message if the kit has sent none", async () => {
  const run = await failureOf([{ receive: { method: "ping" } }]);
  assertEquals(run.sent, undefined);
});
