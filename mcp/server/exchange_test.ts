import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import type { RpcMessage, RpcRequest, RpcResponse } from "../jsonrpc/message.ts";
import type { ExchangeContext } from "./exchange_context.ts";
import type { RequestContext } from "./request_context.ts";
import { LazySignal } from "./lazy_signal.ts";
import { McpServer } from "./mcp_server.ts";

interface ExchangeOptions {
  readonly maxQueuedNotifications?: number;
  readonly call?: Partial<ExchangeContext>;
  readonly _meta?: object;
}

function exchange(
  run: (context: RequestContext) => unknown,
  { maxQueuedNotifications = 1000, call = {}, _meta = { progressToken: "t" } }: ExchangeOptions =
    {},
): Promise<RpcResponse> {
  const server = new McpServer({ name: "s", version: "1", maxQueuedNotifications });
  server.registerTool({ name: "t", description: "" }, (_args, context) => run(context));
  const params = { name: "t", _meta };
  const request: RpcRequest = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const client = { protocolVersion: "2026-07-28", capabilities: {} };
  return server.exchange(request, { client, signal: new AbortController().signal, ...call });
}

/**
 * Runs a request and returns all messages that the server sends. The test accepts each notification
 * immediately.
 */
async function all(
  run: (context: RequestContext) => unknown,
  options: ExchangeOptions = {},
): Promise<RpcMessage[]> {
  const messages: RpcMessage[] = [];
  const emit = (message: RpcMessage) => Promise.resolve(messages.push(message) > 0);
  messages.push(await exchange(run, { ...options, call: { ...options.call, emit } }));
  return messages;
}

/** A client that accepts one notification at a time. */
class Taker {
  readonly messages: RpcMessage[] = [];
  readonly #waiting: (() => void)[] = [];

  readonly emit = (message: RpcMessage): Promise<boolean> => {
    this.messages.push(message);
    return new Promise((resolve) => this.#waiting.push(() => resolve(true)));
  };

  /** Accepts the next notification. Returns `true` if a notification was pending. */
  take(): boolean {
    const taken = this.#waiting.shift();
    taken?.();
    return taken !== undefined;
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await undefined;
}

function steps(messages: readonly RpcMessage[]): unknown[] {
  return messages.map((message) => "params" in message ? message.params?.progress : "response");
}

Deno.test("exchange() emits notifications in order before it returns the response", async () => {
  const messages = await all(async ({ progress }) => {
    await progress(1, { total: 2, message: "half" });
    await progress(2);
  });
  assertEquals(messages[0], {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: "t", progress: 1, total: 2, message: "half" },
  });
  assertEquals(steps(messages), [1, 2, "response"]);
});

Deno.test("a handler can copy and extend its context", async () => {
  for (const signal of [new AbortController().signal, new LazySignal()]) await copyContext(signal);
});

Deno.test("the signal of a context is created when a handler reads or copies it", async () => {
  for (
    const [handler, created] of [
      [() => "unread", 0],
      [(context: RequestContext) => String(context.signal.aborted), 1],
      [(context: RequestContext) => String({ ...context }.signal.aborted), 1],
    ] as const
  ) {
    let count = 0;
    await all(handler, { call: { signal: new LazySignal(() => count++) } });
    assertEquals(count, created);
  }
});

async function copyContext(signal: ExchangeContext["signal"]): Promise<void> {
  const names = (context: RequestContext): readonly string[] => Object.keys(context).toSorted();
  const messages = await all(async (context) => {
    const copy = { ...context, user: "ann" };
    assertEquals(names(copy), [...names(context), "user"].toSorted());
    await copy.progress(1);
    copy.saveState("this");
    assertEquals([copy.requestId, copy.client, copy.principal, copy.signal, context.savedState], [
      1,
      context.client,
      { subject: "ann" },
      context.signal,
      "this",
    ]);
    const heir: RequestContext = Object.create(context, { user: { value: "ann" } });
    assertEquals(heir.signal, context.signal);
    await heir.progress(2);
    return "done";
  }, { call: { principal: { subject: "ann" }, signal } });
  assertEquals(steps(messages), [1, 2, "response"]);
  assertEquals("result" in (messages.at(-1) ?? {}), true);
}

Deno.test("progress() ignores values that do not increase, and ignores all values without a progress token", async () => {
  const run = async ({ progress }: RequestContext) => {
    for (const step of [1, 1, 0, 2, NaN]) await progress(step);
  };
  assertEquals(steps(await all(run)), [1, 2, "response"]);
  assertEquals(steps(await all(run, { _meta: {} })), ["response"]);
});

Deno.test("exchange() drops notifications without an emit function", async () => {
  const response = await exchange(async ({ progress }) => {
    await progress(1);
    return "done";
  });
  assertEquals("result" in response, true);
});

Deno.test("a handler that awaits its notifications is subject to backpressure", async () => {
  // The fake clock does not advance, so the handler does not return to the event loop between its
  // notifications.
  using _time = new FakeTime();
  let sent = 0;
  const taker = new Taker();
  const response = exchange(async ({ progress }) => {
    for (let step = 1; step <= 100; step++) {
      await progress(step);
      sent = step;
    }
  }, { call: taker });
  for (let taken = 0; taken < 100; taken++) {
    await turns(100);
    assertEquals([sent, taker.messages.length], [taken, taken + 1]);
    taker.take();
  }
  await response;
  assertEquals(sent, 100);
});

Deno.test("a handler whose notifications are accepted immediately does not block timers", async () => {
  const signal = AbortSignal.timeout(1);
  let count = 0;
  const emit = () => Promise.resolve(true);
  await exchange(async ({ progress }) => {
    while (!signal.aborted && count < 10_000_000) await progress(++count);
  }, { call: { emit } });
  assertEquals([signal.aborted, count < 10_000_000], [true, true]);
});

Deno.test("notifications beyond maxQueuedNotifications are dropped", async () => {
  const taker = new Taker();
  await exchange(async ({ progress }) => {
    for (let step = 1; step < 10; step++) progress(step);
    await turns(20);
    taker.take();
    await turns(20);
    const last = progress(10);
    while (taker.take()) await turns(20);
    await last;
  }, { maxQueuedNotifications: 2, call: taker });
  assertEquals(steps(taker.messages), [1, 2, 10]);
});

Deno.test("exchange() rejects with the abort reason even if the handler ignores the signal", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  let started = (): void => {};
  const running = new Promise<void>((resolve) => started = resolve);
  const hangs = exchange(async () => {
    started();
    await new Promise(() => {});
  }, { call: { signal } });
  await running;
  controller.abort(new Error("enough"));
  await assertRejects(() => hangs, Error, "enough");
  await assertRejects(() => exchange(() => "x", { call: { signal } }), Error, "enough");
});

Deno.test("exchange() returns no response if the handler finishes after the abort", async () => {
  const controller = new AbortController();
  const late = exchange(() => {
    controller.abort(new Error("enough"));
    return "too late";
  }, { call: { signal: controller.signal } });
  await assertRejects(() => late, Error, "enough");
});

Deno.test("a call that is cancelled before its handler starts does not run", async () => {
  let check = (_issues: []): void => {};
  const checked = new Promise<[]>((resolve) => check = resolve);
  const validator = { compile: () => () => checked };
  const server = new McpServer({ name: "s", version: "1", validator });
  const ran: string[] = [];
  const inputSchema = { type: "object", properties: {} };
  server.registerTool({ name: "resumed", description: "" }, () => void ran.push("resumed"));
  server.registerTool({ name: "checked", description: "", inputSchema }, () => {
    ran.push("checked");
  });
  const client = { protocolVersion: "2026-07-28", capabilities: {} };
  // The first request is waiting for its state to be decrypted, and the second for its arguments to
  // be validated.
  for (const params of [{ name: "resumed", inputResponses: {} }, { name: "checked" }]) {
    const controller = new AbortController();
    const request: RpcRequest = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const call = server.exchange(request, { client, signal: controller.signal });
    controller.abort(new Error("enough"));
    await assertRejects(() => call, Error, "enough");
  }
  check([]);
  await turns(20);
  assertEquals(ran, []);
});

Deno.test("exchange() calls onDelay only if the response is delayed", async () => {
  let isSlow = false;
  const onDelay = (): void => {
    isSlow = true;
  };
  await exchange(async () => await Promise.resolve("soon"), { call: { onDelay } });
  assertEquals(isSlow, false);
  let finish = (): void => {};
  const waits = exchange(() => new Promise<void>((resolve) => finish = resolve), {
    call: { onDelay },
  });
  await turns(200);
  assertEquals(isSlow, true);
  finish();
  await waits;
});

Deno.test("log() rejects data that is not JSON and sends nothing", async () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const client = { protocolVersion: "2026-07-28", capabilities: {}, logLevel: "debug" } as const;
  const messages = await all(async ({ log }) => {
    for (const data of [circular, 1n]) {
      const error = await assertRejects(() => log("info", data), McpError);
      assertEquals(error.code, "serialization_error");
    }
    await log("info", { fine: true });
    return "done";
  }, { call: { client } });
  assertEquals(messages.map((one) => "params" in one ? one.params?.data : "response"), [
    { fine: true },
    "response",
  ]);
});
