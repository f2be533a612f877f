import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { RpcMessage, RpcResponse } from "../jsonrpc/message.ts";
import type { ChangeBus } from "./change_bus.ts";
import type { ServerExtension } from "./extension.ts";
import type { ExtensionSubscription } from "./extension_subscription.ts";
import { LazySignal } from "./lazy_signal.ts";
import { McpServer } from "./mcp_server.ts";
import type { McpServerConfig } from "./server_config.ts";

/** Opens and ends subscription streams. */
class Streams {
  readonly server: McpServer;
  readonly #open: { readonly signal: LazySignal; readonly done: Promise<RpcResponse> }[] = [];

  constructor(config: Partial<McpServerConfig> = {}) {
    this.server = new McpServer({ name: "s", version: "1", ...config });
  }

  /** Opens a stream for a subject. Returns `true` if the stream was opened. */
  async open(subject?: string): Promise<boolean> {
    const signal = new LazySignal();
    const first = Promise.withResolvers<RpcMessage>();
    const params = { notifications: {} };
    const request = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params } as const;
    const done = this.server.exchange(request, {
      client: { protocolVersion: "2026-07-28", capabilities: {} },
      signal,
      emit: (message) => {
        first.resolve(message);
        return Promise.resolve(true);
      },
      ...(subject === undefined ? {} : { principal: { subject } }),
    });
    done.then(first.resolve, first.reject);
    const isOpen = "method" in await first.promise;
    if (isOpen) this.#open.push({ signal, done });
    return isOpen;
  }

  /** Ends the oldest stream. */
  async end(): Promise<void> {
    const first = this.#open.shift();
    first?.signal.abort(new Error("enough"));
    await assertRejects(() => first?.done ?? Promise.resolve(), Error, "enough");
  }
}

Deno.test("a principal cannot exceed its share of the subscription streams", async () => {
  const streams = new Streams({ maxSubscriptionStreams: 4, maxSharePerPrincipal: 0.5 });
  const opened = async (...subjects: (string | undefined)[]): Promise<boolean[]> => {
    const all: boolean[] = [];
    for (const subject of subjects) all.push(await streams.open(subject));
    return all;
  };
  assertEquals(await opened("mallory", "mallory", "mallory"), [true, true, false]);
  assertEquals(await opened("ada", undefined, "bob"), [true, true, false]);
  await streams.end();
  assertEquals(await opened("mallory", "mallory"), [true, false]);
  await streams.server.close();
});

Deno.test("if one extension cannot subscribe, the subscriptions of all other extensions are stopped", async () => {
  let listening = 0;
  const good: ServerExtension = {
    id: "example.org/good",
    listen: () => {
      listening++;
      return Promise.resolve({ accepted: {}, stop: () => void listening-- });
    },
  };
  const bad: ServerExtension = {
    id: "example.org/bad",
    listen: () => {
      throw new Error("no");
    },
  };
  for (const extensions of [[good, bad], [bad, good]]) {
    assertEquals(await new Streams({ extensions }).open(), false);
    assertEquals(listening, 0);
  }
});

Deno.test("McpServer throws if maxSharePerPrincipal is out of range", () => {
  for (const maxSharePerPrincipal of [0, NaN, 1.1]) {
    assertThrows(() => new Streams({ maxSharePerPrincipal }), RangeError);
  }
});

Deno.test("a cancelled request does not count as a stream while the change bus does not respond", async () => {
  const subscribed = Promise.withResolvers<() => Promise<void>>();
  const asked = Promise.withResolvers<void>();
  const changeBus: ChangeBus = {
    publish: () => Promise.resolve(),
    subscribe: () => {
      asked.resolve();
      return subscribed.promise;
    },
  };
  const streams = new Streams({ changeBus, maxSubscriptionStreams: 1 });
  const signal = new LazySignal();
  const cancelled = streams.server.exchange(
    { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: {} },
    { client: { protocolVersion: "2026-07-28", capabilities: {} }, signal },
  );
  await asked.promise;
  signal.abort(new Error("enough"));
  await assertRejects(() => cancelled, Error, "enough");
  assertEquals(streams.server.changes.size, 0);
  const opening = streams.open();
  subscribed.resolve(() => Promise.resolve());
  assertEquals(await opening, true);
  await streams.server.close();
});

Deno.test("an extension's subscription that opens after the request was cancelled is stopped", async () => {
  const [asked, opened] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<ExtensionSubscription>(),
  ];
  const stopped = Promise.withResolvers<void>();
  const extension: ServerExtension = {
    id: "com.example/slow",
    listen: () => {
      asked.resolve();
      return opened.promise;
    },
  };
  const streams = new Streams({ extensions: [extension] });
  const signal = new LazySignal();
  const cancelled = streams.server.exchange(
    { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: {} },
    { client: { protocolVersion: "2026-07-28", capabilities: {} }, signal },
  );
  await asked.promise;
  signal.abort(new Error("enough"));
  await assertRejects(() => cancelled, Error, "enough");
  opened.resolve({ accepted: {}, stop: stopped.resolve });
  await stopped.promise;
  await streams.server.close();
});
