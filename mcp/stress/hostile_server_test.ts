/** Tests attacks by a server on the client: floods of input requests, and endless lists. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { HttpTransport, McpClient, type McpClientConfig, McpError } from "../client.ts";
import { modern, result, type Seen } from "../testdata/web.ts";

type Answers = Parameters<typeof modern>[0];

async function connect(
  answers: Answers,
  config: Partial<McpClientConfig> = {},
): Promise<McpClient> {
  const { fetch } = modern(answers);
  const transport = new HttpTransport("http://127.0.0.1/mcp", { fetch });
  const client = new McpClient({ transport, ...config });
  await client.connect();
  return client;
}

const SAMPLING = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };

function ask(request: Seen, count: number): Response {
  const inputRequests = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`q${index}`, SAMPLING]),
  );
  return result(request, { resultType: "input_required", inputRequests, requestState: "s" });
}

/** A model that counts its calls. */
class CountingModel {
  calls = 0;
  running = 0;
  peak = 0;

  readonly createMessage = async () => {
    this.calls++;
    this.running++;
    this.peak = Math.max(this.peak, this.running);
    // The other input requests in the same response start before this input request ends.
    for (let turn = 0; turn < 100; turn++) await undefined;
    this.running--;
    return { role: "assistant", model: "m", content: { type: "text", text: "" } } as const;
  };
}

Deno.test("one response cannot start 20,000 model calls", async () => {
  const model = new CountingModel();
  const client = await connect({ "tools/call": (request) => ask(request, 20_000) }, {
    handlers: { createMessage: model.createMessage },
  });
  const error = await assertRejects(
    () => client.callTool("t", {}),
    McpError,
    'the response has 20000 input requests, more than "maxInputRequests" (100)',
  );
  assertEquals([error.code, model.calls], ["protocol_error", 0]);
  await client.disconnect();
});

Deno.test("concurrent calls share one limit for model calls", async () => {
  const model = new CountingModel();
  const client = await connect({
    "tools/call": (request) =>
      "inputResponses" in (request.body.params ?? {})
        ? result(request, { resultType: "complete", content: [] })
        : ask(request, 100),
  }, { handlers: { createMessage: model.createMessage } });
  await Promise.all(Array.from({ length: 10 }, () => client.callTool("t", {})));
  assertEquals([model.calls, model.peak], [1000, 100]);
  await client.disconnect();
});

Deno.test("an endless list rejects with an error after maxListPages pages", async () => {
  let pages = 0;
  const client = await connect({
    "tools/list": (request) => result(request, { tools: [], nextCursor: `${++pages}` }),
  });
  await assertRejects(
    () => client.listTools(),
    McpError,
    '"tools/list" exceeds "maxListPages" (100)',
  );
  assertEquals(pages, 100);
  await client.disconnect();
});

Deno.test("an endless list rejects with an error beyond maxListChars", async () => {
  let pages = 0;
  const description = "x".repeat(9_000_000);
  const client = await connect({
    "tools/list": (request) =>
      result(request, { tools: [{ name: "t", description }], nextCursor: `${++pages}` }),
  });
  await assertRejects(
    () => client.listTools(),
    McpError,
    '"tools/list" exceeds "maxListChars" (16777216)',
  );
  assertEquals(pages, 2);
  await client.disconnect();
});

Deno.test("a page of 200,000 items rejects with protocol_error and does not overflow the stack", async () => {
  const resources = Array.from({ length: 200_000 }, (_, index) => ({ uri: `r:${index}` }));
  const answers: Answers = { "resources/list": (request) => result(request, { resources }) };
  const client = await connect(answers);
  await assertRejects(
    () => client.listResources(),
    McpError,
    '"resources/list" exceeds "maxListItems" (10000)',
  );
  await client.disconnect();
  const patient = await connect(answers, { maxListItems: 1_000_000 });
  assertEquals((await patient.listResources()).length, 200_000);
  await patient.disconnect();
});

Deno.test("maxListItems limits the items on all pages together", async () => {
  const client = await connect({
    "prompts/list": (request) => {
      const page = Number(request.body.params?.cursor ?? 0);
      return result(request, {
        prompts: [{ name: "a" }, { name: "b" }],
        ...(page < 2 ? { nextCursor: `${page + 1}` } : {}),
      });
    },
  }, { maxListItems: 5 });
  const error = await assertRejects(() => client.listPrompts(), McpError, '"maxListItems" (5)');
  assert(error.code === "protocol_error");
  await client.disconnect();
});
