import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../kit/json.ts";
import type { ProviderTurn } from "../kit/provider_turn.ts";
import { Trace } from "../subject/trace.ts";
import { ScriptedHost } from "./scripted_host.ts";
import { ScriptedProvider } from "./scripted_provider.ts";

interface World {
  readonly provider: ScriptedProvider;
  readonly host: ScriptedHost;
  /** Sends a request with a JSON body. */
  readonly post: (body: JsonObject | string, signal?: AbortSignal) => Promise<Response>;
}

async function withProvider(
  turns: readonly ProviderTurn[],
  act: (world: World) => Promise<void>,
): Promise<void> {
  const captures = new Map<string, unknown>();
  const host = new ScriptedHost({}, captures);
  const options = { host, trace: new Trace(), captures, scale: 1 };
  const provider = new ScriptedProvider({ api: "openai-chat", turns }, options);
  const baseUrl = await provider.listen();
  try {
    await act({
      provider,
      host,
      post: (body, signal) =>
        fetch(`${baseUrl}/chat/completions`, {
          method: "POST",
          body: typeof body === "string" ? body : JSON.stringify(body),
          headers: { "x-name": "Value" },
          ...(signal === undefined ? {} : { signal }),
        }),
    });
  } finally {
    await provider.close();
  }
}

Deno.test("ScriptedProvider responds in order, and records requests, responses and executions", async () => {
  const turns: readonly ProviderTurn[] = [
    { expect: { json: { model: "m" } }, reply: { json: { id: 1 } } },
    { reply: { status: 429, headers: { "retry-after": "7" }, text: "busy" } },
  ];
  await withProvider(turns, async ({ provider, host, post }) => {
    const first = await post({ model: "m" });
    assertEquals(first.headers.get("content-type"), "application/json");
    assertEquals(await first.json(), { id: 1 });
    provider.noteExecution({ name: "add", input: { a: 1 } });
    assertEquals(provider.nextTurn, turns[1]);
    const second = await post({ model: "n" });
    assertEquals([second.status, second.headers.get("retry-after")], [429, "7"]);
    assertEquals(await second.text(), "busy");
    const { api, exchanges, executions } = provider.record;
    assertEquals([api, provider.nextTurn, host.violations], ["openai-chat", undefined, []]);
    assertEquals(executions, [{ name: "add", input: { a: 1 }, requestsBefore: 1 }]);
    assertEquals(
      exchanges.map(({ index, request, reply }) => [
        index,
        request.method,
        request.path,
        request.headers["x-name"],
        request.bodyText,
        request.json,
        reply,
      ]),
      [
        [0, "POST", "/v1/chat/completions", "Value", '{"model":"m"}', { model: "m" }, {
          json: { id: 1 },
        }],
        [1, "POST", "/v1/chat/completions", "Value", '{"model":"n"}', { model: "n" }, {
          status: 429,
          headers: { "retry-after": "7" },
          text: "busy",
        }],
      ],
    );
  });
});

Deno.test("ScriptedProvider reports requests that the script does not expect", async () => {
  await withProvider([{ expect: { json: { model: "m" } }, reply: { json: {} } }], async (world) => {
    await (await world.post({ model: "other" })).body?.cancel();
    const { status } = await world.post({ model: "m" }).then(async (response) => {
      await response.body?.cancel();
      return response;
    });
    assertEquals(status, 400);
    const [mismatch, excess] = world.host.violations;
    assertEquals(mismatch, {
      sent: "request 1 to the provider",
      expected: '"m" at $.json.model',
      got: '"other"',
    });
    assertEquals(excess?.got, "request 2, but the script has 1 turn");
  });
});

Deno.test("ScriptedProvider reports a body that is not a JSON object", async () => {
  await withProvider([{ reply: { json: {} } }], async ({ host, post }) => {
    for (const body of ["{", "[]", ""]) await (await post(body)).body?.cancel();
    assertEquals(
      host.violations.map(({ got }) => got),
      [1, 2, 3].map((number) => `request ${number} without a JSON object as its body`),
    );
  });
});

Deno.test("ScriptedProvider limits the number of requests", async () => {
  await withProvider([], async ({ provider, host, post }) => {
    for (let count = 0; count < 101; count++) await (await post({})).body?.cancel();
    assertEquals(provider.record.exchanges.length, 100);
    assertEquals(host.violations.at(-1)?.got, "more than 100 requests or 67108864 bytes");
  });
});

Deno.test("ScriptedProvider does not count requests with other methods", async () => {
  await withProvider([{ reply: { json: {} } }], async ({ provider, host, post }) => {
    const first = await post({});
    await first.body?.cancel();
    const response = await fetch(first.url);
    await response.body?.cancel();
    assertEquals([response.status, provider.record.exchanges.length], [404, 1]);
    assertEquals(host.violations, []);
  });
});

Deno.test("ScriptedProvider sends events in chunks of the given sizes", async () => {
  const events = [{ event: "a", data: { n: 1 } }, { data: "[DONE]" }];
  await withProvider([{ reply: { events, chunks: [1, 2, 3] } }], async ({ post }) => {
    const response = await post({});
    assertEquals(response.headers.get("content-type"), "text/event-stream");
    assertEquals(await response.text(), 'event: a\ndata: {"n":1}\n\ndata: [DONE]\n\n');
  });
});

Deno.test("ScriptedProvider cuts the connection after the body", async () => {
  await withProvider([{ reply: { text: "data: 1\n\n", cut: true } }], async ({ post }) => {
    const { body } = await post({});
    assert(body !== null);
    const reader = body.getReader();
    const { value } = await reader.read();
    assertEquals(new TextDecoder().decode(value), "data: 1\n\n");
    await assertRejects(() => reader.read());
  });
});

Deno.test("ScriptedProvider holds a response, and notices that the client closes the connection", async () => {
  const turns = [{ hold: "gate", reply: { json: {} } }, { hold: "open", reply: { json: {} } }];
  await withProvider(turns, async ({ host, post }) => {
    const controller = new AbortController();
    const aborted = assertRejects(() => post({}, controller.signal));
    await host.hold("gate").arrived;
    controller.abort();
    await Promise.all([aborted, host.hold("gate").cancelled]);
    const response = post({});
    await host.hold("open").arrived;
    host.hold("open").release();
    assertEquals(await (await response).text(), "{}");
  });
});

Deno.test("ScriptedProvider delays a response, and ends the delay when it is closed", async () => {
  await withProvider([{ reply: { json: {}, delayMs: 30 } }], async ({ post }) => {
    const began = performance.now();
    await (await post({})).body?.cancel();
    assert(performance.now() - began >= 29);
  });
  let pending: Promise<unknown> = Promise.resolve();
  await withProvider([{ hold: "never", reply: { json: {} } }], async ({ host, post }) => {
    pending = post({}).then((response) => response.status, (error) => String(error));
    await host.hold("never").arrived;
  });
  assertStringIncludes(String(await pending), "Error");
});
