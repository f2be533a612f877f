import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import type { RpcMessage, RpcRequest, RpcResponse } from "../jsonrpc/message.ts";
import { mcpHandler, servePipe } from "../server.ts";
import type { ChangeBus } from "../server/change_bus.ts";
import type { RequestContext } from "../server/request_context.ts";
import { LazySignal } from "../server/lazy_signal.ts";
import { McpServer } from "../server/mcp_server.ts";
import type { ServerSession } from "./session_contract.ts";
import { objectOf } from "../testdata/answer.ts";
import { SessionByHand } from "../testdata/http.ts";
import { handAndPipe } from "../testdata/pipes.ts";
import { openServerSession, type ServerSessionOptions } from "./server_session.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: { elicitation: {} },
    clientInfo: { name: "c", version: "1" },
  },
} as const;

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } } as const;

const QUESTION = {
  method: "elicitation/create",
  params: { message: "Name?", requestedSchema: { type: "object" } },
} as const;

const LIMITS = { inputTimeoutMs: 60_000, maxResourceSubscriptions: 10 };

/** Creates a server with a tool and a resource. */
function make(run: (context: RequestContext) => unknown): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerTool({ name: "t", description: "" }, (_args, context) => run(context));
  server.registerResource({ uri: "r:1", name: "r" }, () => "");
  return server;
}

type Ask = (request: RpcRequest) => Promise<RpcResponse>;

/** Opens a session. Returns the session and a list of the messages it sends, except responses. */
async function open(
  server: McpServer,
  options?: Partial<ServerSessionOptions>,
): Promise<{ session: ServerSession; sent: RpcMessage[]; ask: Ask }> {
  const sent: RpcMessage[] = [];
  const session = openServerSession(server, () => {}, { ...LIMITS, ...options });
  const emit = (message: RpcMessage) => Promise.resolve(sent.push(message) > 0);
  const ask: Ask = (request) => session.exchange(request, { signal: new LazySignal(), emit });
  await ask(INITIALIZE);
  return { session, sent, ask };
}

Deno.test("cancelling a call also cancels its server request", async () => {
  const server = make(({ ask }) => ask("a", QUESTION));
  const [client, pipe] = handAndPipe();
  const served = servePipe(server, pipe);
  await client.ask(INITIALIZE);
  const question = await client.ask(CALL);
  const params = { requestId: 1, reason: "enough" };
  await client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  await client.send({ jsonrpc: "2.0", id: 2, method: "ping" });
  assertEquals(await client.next(), {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: question.id, reason: "enough" },
  });
  await client.pipe.close();
  await served;
});

Deno.test("a URL elicitation in a session has the elicitationId of the handler, or a random one", async () => {
  const url = { mode: "url", message: "Pay", url: "https://shop.example/" } as const;
  for (const id of [undefined, "payment-7"]) {
    const params = { ...url, ...id !== undefined && { elicitationId: id } };
    const server = make(({ ask }) => ask("a", { method: "elicitation/create", params }));
    const [client, pipe] = handAndPipe();
    const served = servePipe(server, pipe);
    const capabilities = { elicitation: { url: {} } };
    await client.ask({ ...INITIALIZE, params: { ...INITIALIZE.params, capabilities } });
    const { params: sent } = await client.ask(CALL);
    const { elicitationId } = objectOf(sent);
    assertEquals(typeof elicitationId, "string");
    assertEquals(elicitationId === "payment-7", id !== undefined);
    await client.pipe.close();
    await served;
  }
});

Deno.test("context.ask() rejects after the response is sent", async () => {
  let late: Promise<unknown> = Promise.resolve();
  let answered = (): void => {};
  const done = new Promise<void>((resolve) => answered = resolve);
  const { session, sent, ask } = await open(make(({ ask }) => {
    late = done.then(() => ask("a", QUESTION));
    return "done";
  }));
  await ask(CALL);
  answered();
  await assertRejects(() => late, McpError, "already sent");
  assertEquals(sent, []);
  session.close();
});

Deno.test("a repeated subscription does not count toward the limit", async () => {
  const { session, ask } = await open(make(() => ""), { maxResourceSubscriptions: 1 });
  const subscribe = (uri: string) =>
    ask({ jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri } });
  for (const uri of ["r:1", "r:1"]) assertEquals("result" in await subscribe(uri), true);
  assertEquals("error" in await subscribe("r:2"), true);
  session.close();
});

Deno.test("servePipe() accepts maxResourceSubscriptions and inputTimeoutMs", async () => {
  const server = make(({ ask }) => ask("a", QUESTION));
  const subscribe = (uri: string) =>
    ({ jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri } }) as const;
  const [client, pipe] = handAndPipe();
  const served = servePipe(server, pipe, { maxResourceSubscriptions: 1, inputTimeoutMs: 1 });
  await client.ask(INITIALIZE);
  assertEquals((await client.ask(subscribe("r:1"))).error, undefined);
  assertEquals((await client.ask(subscribe("r:2"))).error?.code, -32602);
  const question = await client.ask(CALL);
  assertEquals((await client.next()).params?.requestId, question.id);
  assertEquals((await client.next()).result?.isError, true);
  await client.pipe.close();
  await served;

  const handler = mcpHandler(server, { sessions: { maxResourceSubscriptions: 1 } });
  const session = await SessionByHand.open(handler);
  await (await session.send(subscribe("r:1"))).body?.cancel();
  assertEquals((await (await session.send(subscribe("r:2"))).json()).error?.code, -32602);
  await handler.close();
});

Deno.test("resources/subscribe can be cancelled while the change bus does not respond", async () => {
  const asked = Promise.withResolvers<void>();
  const changeBus: ChangeBus = {
    publish: () => Promise.resolve(),
    subscribe: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  };
  const onError = (): void => {};
  const config = { name: "s", version: "1", changeBus, closeTimeoutMs: 1, onError };
  const server = new McpServer(config);
  server.registerResource({ uri: "r:1", name: "r" }, () => "");
  const { session } = await open(server);
  const signal = new LazySignal();
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "resources/subscribe",
    params: { uri: "r:1" },
  } as const;
  const cancelled = session.exchange(request, { signal });
  await asked.promise;
  signal.abort(new Error("enough"));
  await assertRejects(() => cancelled, Error, "enough");
  session.close();
  await server.close();
});

Deno.test("resources/subscribe can be cancelled while an extension does not respond", async () => {
  const opened = Promise.withResolvers<{ accepted: JsonObject; stop: () => void }>();
  const called = Promise.withResolvers<void>();
  const listen = () => {
    called.resolve();
    return opened.promise;
  };
  const extension = { id: "x/y", listen } as const;
  const server = new McpServer({ name: "s", version: "1", extensions: [extension] });
  server.registerResource({ uri: "r:1", name: "r" }, () => "");
  const { session } = await open(server);
  const signal = new LazySignal();
  const params = { uri: "r:1" };
  const request = { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params } as const;
  const failed = assertRejects(() => session.exchange(request, { signal }), Error, "enough");
  await called.promise;
  signal.abort(new Error("enough"));
  await failed;
  const stopped = Promise.withResolvers<void>();
  opened.resolve({ accepted: { resourceSubscriptions: ["r:1"] }, stop: stopped.resolve });
  await stopped.promise;
});

Deno.test("context.ask() rejects if the server request cannot be sent", async () => {
  const server = make(({ ask }) => ask("a", QUESTION).then(() => "asked", (error) => `${error}`));
  const session = openServerSession(server, () => {}, LIMITS);
  const emit = () => Promise.reject(new Error("broken"));
  await session.exchange(INITIALIZE, { signal: new LazySignal(), emit });
  const response = await session.exchange(CALL, { signal: new LazySignal(), emit });
  const { content } = objectOf("result" in response ? response.result : {});
  assertEquals(content, [{ type: "text", text: "Error: broken" }]);
});
