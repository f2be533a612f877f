import { assert, assertEquals } from "@std/assert";
import type { ServedAgent, ServedHandler, ServedRun } from "../serve/contracts.ts";
import { approvalIdOf } from "./response_encoder.ts";
import { responsesHandler, type ResponsesOptions } from "./responses.ts";
import { memoryRuns } from "../runs/memory.ts";
import { openRuns } from "../runs/open_runs.ts";
import { serveRuns } from "../serve/serve_runs.ts";
import { createGate } from "../testing/gate.ts";
import { newClerk, readEvents, recordRuns, serveClerk } from "./testdata/clerk.ts";

const ANN = { principal: { subject: "ann" } };
const BOB = { principal: { subject: "bob" } };
const URL_PREFIX = "https://example.com/v1/responses";

/** An agent that is served. */
interface Clerk {
  readonly served: ServedAgent;
}

/** Members of the JSON responses. */
interface Json {
  readonly id: string;
  readonly status: string;
  readonly created_at: number;
  readonly background: boolean;
  readonly store: boolean;
  readonly output: readonly Item[];
  readonly usage: { readonly total_tokens: number };
  readonly previous_response_id: string;
  readonly conversation: unknown;
  readonly incomplete_details: unknown;
  readonly error: { readonly message: string; readonly code: unknown; readonly param: unknown };
}

/** Members of the items. */
interface Item {
  readonly id: string;
  readonly type: string;
  readonly content?: readonly { readonly text: string }[];
}

/** Members of the events. */
interface SentEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly output_index: number;
  readonly delta: string;
  readonly item: Item;
  readonly response: Json;
}

function handlerOf({ served }: Clerk, options: Partial<ResponsesOptions> = {}): ServedHandler {
  return responsesHandler({ models: { clerk: served }, ...options });
}

function post(body: object, init: RequestInit = {}): Request {
  return new Request(URL_PREFIX, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "clerk", ...body }),
    ...init,
  });
}

function get(id: string, query = ""): Request {
  return new Request(`${URL_PREFIX}/${encodeURIComponent(id)}${query}`);
}

function cancelOf(id: string): Request {
  return new Request(`${URL_PREFIX}/${encodeURIComponent(id)}/cancel`, { method: "POST" });
}

async function jsonOf(response: Response): Promise<Json> {
  return await response.json();
}

async function errorOf(response: Response): Promise<readonly unknown[]> {
  const { error } = await jsonOf(response);
  return [response.status, error.code, error.param];
}

/** Returns the texts of the output. */
function textsOf({ output }: Pick<Json, "output">): readonly string[] {
  return output.flatMap(({ content = [] }) => content.map(({ text }) => text));
}

async function eventsOf(response: Response): Promise<readonly SentEvent[]> {
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  const events = readEvents(await response.text());
  for (const { data, event } of events) assertEquals(JSON.parse(data).type, event);
  return events.map(({ data }) => JSON.parse(data));
}

/** Returns the response in the last event of a stream. */
async function lastOf(response: Response): Promise<Json> {
  return endOf(await eventsOf(response)).response;
}

function endOf(events: readonly SentEvent[]): SentEvent {
  const last = events.at(-1);
  assert(last);
  return last;
}

/** Waits for a response in the background. */
async function ended(handler: ServedHandler, id: string): Promise<Json> {
  return await lastOf(await handler(get(id, "?stream=true"), ANN));
}

Deno.test("a response contains the texts of the agent, and can be retrieved", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const response = await handler(post({ input: "tool", metadata: { order: "7" } }), ANN);
  const text = await response.text();
  assert(!text.includes("secret") && !text.includes("add"));
  const { created_at: created, id, output, ...rest } = JSON.parse(text);
  assert(Number.isInteger(created));
  assert(/^resp_[\da-f]{8}_[\da-f-]{36}\.0$/.test(id));
  const message = (index: number, text: string): object => ({
    type: "message",
    id: `msg_${index}_${id}`,
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  });
  assertEquals(output, [message(0, "Let me calculate."), message(1, "It is 42.")]);
  assertEquals(rest, {
    object: "response",
    status: "completed",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: "clerk",
    parallel_tool_calls: true,
    previous_response_id: null,
    conversation: null,
    store: true,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
    usage: {
      input_tokens: 2,
      output_tokens: 2,
      total_tokens: 4,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
    metadata: { order: "7" },
  });
  assertEquals(await jsonOf(await handler(get(id), ANN)), JSON.parse(text));
});

Deno.test("a stream contains the items of the output while they are written", async () => {
  await using clerk = serveClerk();
  const events = await eventsOf(
    await handlerOf(clerk)(post({ input: "tool", stream: true }), ANN),
  );
  assertEquals(events.map((event) => event.sequence_number), [...events.keys()]);
  const types = events.map(({ type }) => type.replace("response.", ""));
  const deltas = types.filter((type) => type === "output_text.delta").length;
  assert(deltas >= 2);
  const item = [
    "output_item.added",
    "content_part.added",
    "output_text.done",
    "content_part.done",
    "output_item.done",
  ];
  assertEquals(
    types.filter((type) => type !== "output_text.delta"),
    ["created", "in_progress", ...item, ...item, "completed"],
  );
  const streamed = [0, 1].map((index) =>
    events.filter(({ output_index: at, type }) =>
      at === index && type === "response.output_text.delta"
    ).map(({ delta }) => delta).join("")
  );
  assertEquals(streamed, ["Let me calculate.", "It is 42."]);
  assertEquals(textsOf(endOf(events).response), ["Let me calculate.", "It is 42."]);
  assertEquals(events[0]?.response.status, "in_progress");
  const done = events.filter(({ type }) => type === "response.output_item.done");
  assertEquals(done.map((event) => event.item), endOf(events).response.output);
});

Deno.test("the conversation is stored, and the newest response can be continued", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const input = [{ role: "user", content: "a" }, { role: "assistant", content: "b" }, {
    role: "user",
    content: "c",
  }];
  const first = await jsonOf(await handler(post({ input }), ANN));
  assertEquals(textsOf(first), ["3: a | b | c"]);
  const next = { input: "d", previous_response_id: first.id };
  const second = await jsonOf(await handler(post(next), ANN));
  assertEquals(textsOf(second), ["5: a | b | c | 3: a | b | c | d"]);
  assertEquals(second.previous_response_id, first.id);
  assertEquals(await errorOf(await handler(post(next), ANN)), [
    400,
    "previous_response_not_newest",
    "previous_response_id",
  ]);
});

Deno.test("a conversation is a session of the caller", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const conversation = "my/conversation ü";
  const first = await jsonOf(await handler(post({ input: "a", conversation }), ANN));
  assertEquals(first.conversation, { id: conversation });
  const second = await jsonOf(await handler(post({ input: "b", conversation }), ANN));
  assertEquals(textsOf(second), ["3: a | 1: a | b"]);
  const { output } = await jsonOf(await handler(get(second.id), ANN));
  assertEquals(output, second.output);
  const other = await jsonOf(await handler(post({ input: "c", conversation }), BOB));
  assertEquals(textsOf(other), ["1: c"]);
});

Deno.test("the responses of another caller do not exist", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const conversation = "c1";
  const own = await jsonOf(await handler(post({ input: "a", conversation }), ANN));
  const notFound = [404, "response_not_found", null];
  assertEquals(await errorOf(await handler(get(own.id), BOB)), notFound);
  assertEquals(await errorOf(await handler(cancelOf(own.id), BOB)), notFound);
  const next = post({ input: "b", previous_response_id: own.id });
  assertEquals(await errorOf(await handler(next, BOB)), [
    400,
    "previous_response_not_found",
    "previous_response_id",
  ]);
  // The same id is another response.
  const other = await jsonOf(await handler(post({ input: "b", conversation }), BOB));
  assertEquals(other.id, own.id);
  assertEquals(textsOf(await jsonOf(await handler(get(own.id), ANN))), ["1: a"]);
  assertEquals(textsOf(await jsonOf(await handler(get(own.id), BOB))), ["1: b"]);
});

Deno.test("ids that do not name a response are not found", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const { id } = await jsonOf(await handler(post({ input: "a" }), ANN));
  const ids = [
    "x",
    "resp_",
    "resp_1",
    "__proto__",
    id.slice(5),
    `${id}1`,
    `${id}\0`,
    id + "a".repeat(9000),
    id.replace(/_./, "_z"),
  ];
  for (const one of ids) {
    const notFound = [404, "response_not_found", null];
    assertEquals(await errorOf(await handler(get(one), ANN)), notFound);
  }
  const tasks = await clerk.served.start(ANN.principal, { turn: "Hi", metadata: { openai: {} } });
  assertEquals((await handler(get(id.replace(/_[^_]+$/, `_${tasks.id}`)), ANN)).status, 404);
});

Deno.test("two agents can have runs with the same id", async () => {
  await using clerk = serveClerk();
  await using other = serveClerk();
  const handler = responsesHandler({ models: { a: clerk.served, b: other.served } });
  const ask = async (model: string): Promise<Json> =>
    await jsonOf(await handler(post({ model, input: model, conversation: "c" }), ANN));
  const [a, b] = [await ask("a"), await ask("b")];
  assertEquals(textsOf(await jsonOf(await handler(get(a.id), ANN))), ["1: a"]);
  assertEquals(textsOf(await jsonOf(await handler(get(b.id), ANN))), ["1: b"]);
  const mixed = post({ model: "a", input: "x", previous_response_id: b.id });
  assertEquals((await errorOf(await handler(mixed, ANN)))[1], "previous_response_not_found");
});

Deno.test("nothing is stored if the caller does not want it", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const { id, output, store } = await jsonOf(
    await handler(post({ input: "Hi", store: false }), ANN),
  );
  assertEquals([store, output.length], [false, 1]);
  assertEquals((await handler(get(id), ANN)).status, 404);
  assertEquals((await clerk.served.list(ANN.principal)).runs, []);
});

Deno.test("a response that is not stored cannot wait for a decision of its caller", async () => {
  const runs: ServedRun[] = [];
  await using clerk = serveClerk();
  const handler = handlerOf({ served: recordRuns(clerk.served, runs) }, {
    approvals: "caller",
  });
  const request = { input: "pay", store: false };
  const whole = await handler(post(request), ANN);
  assertEquals(await errorOf(whole), [400, "unsupported_parameter", "store"]);
  const stream = await (await handler(post({ ...request, stream: true }), ANN)).text();
  const last = readEvents(stream).at(-1);
  assertEquals(last?.event, "error");
  assert(last?.data.includes('"code":"unsupported_parameter"'));
  for (const run of runs) assertEquals((await run.settled()).status, "cancelled");
  assertEquals(runs.length, 2);
});

Deno.test("a response in the background continues without its client", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const response = await handler(post({ input: "slow", background: true }), ANN);
  const { background, id, output, status } = await jsonOf(response);
  assertEquals([background, status, output], [true, "in_progress", []]);
  assertEquals((await jsonOf(await handler(get(id), ANN))).status, "in_progress");
  clerk.gate.release();
  const whole = await ended(handler, id);
  assertEquals([whole.status, textsOf(whole)], ["completed", ["Done."]]);
  assertEquals(await jsonOf(await handler(get(id), ANN)), whole);
});

Deno.test("a stream in the background can be resumed after each of its events", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const started = await handler(post({ input: "slow", background: true, stream: true }), ANN);
  const reader = started.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader?.read() ?? {};
  const { response: { id } } = JSON.parse(readEvents(value)[0]?.data ?? "");
  await clerk.gate.reached;
  await reader?.cancel();
  clerk.gate.release();
  const events = await eventsOf(await handler(get(id, "?stream=true"), ANN));
  assertEquals(endOf(events).response.status, "completed");
  for (const after of events.keys()) {
    const query = `?stream=true&starting_after=${after}`;
    const rest = await eventsOf(await handler(get(id, query), ANN));
    const isLast = after === events.length - 1;
    // The last event is always sent, so that a client never waits for it.
    if (isLast) assertEquals<object>(rest, [{ ...events[after], sequence_number: after + 1 }]);
    else assertEquals(rest, events.slice(after + 1));
  }
  for (const after of ["x", "-1", "1.5", "9999999999"]) {
    const response = await handler(get(id, `?stream=true&starting_after=${after}`), ANN);
    assertEquals(await errorOf(response), [400, "invalid_value", "starting_after"]);
  }
});

Deno.test("a response whose events are not kept has its last text", async () => {
  await using clerk = serveClerk({ keepEndedMs: 0 });
  const handler = handlerOf(clerk);
  const { id } = await jsonOf(await handler(post({ input: "tool", background: true }), ANN));
  const run = await clerk.served.get(ANN.principal, id.replace(/^resp_[^_]+_/, ""));
  await run?.settled();
  const { output, status, usage } = await jsonOf(await handler(get(id), ANN));
  assertEquals([status, textsOf({ output }), usage.total_tokens], ["completed", ["It is 42."], 4]);
  const events = await eventsOf(await handler(get(id, "?stream=true"), ANN));
  assertEquals(textsOf(endOf(events).response), ["It is 42."]);
});

Deno.test("a response can be cancelled", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const { id } = await jsonOf(await handler(post({ input: "slow", background: true }), ANN));
  await clerk.gate.reached;
  const cancelled = await jsonOf(await handler(cancelOf(id), ANN));
  assertEquals([cancelled.status, cancelled.output], ["cancelled", []]);
  assertEquals((await jsonOf(await handler(cancelOf(id), ANN))).status, "cancelled");
  const events = await eventsOf(await handler(get(id, "?stream=true"), ANN));
  assertEquals(endOf(events).response.status, "cancelled");
  const { id: done } = await jsonOf(await handler(post({ input: "Hi" }), ANN));
  assertEquals((await jsonOf(await handler(cancelOf(done), ANN))).status, "completed");
});

Deno.test("a disconnected client cancels a response that is not in the background", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const streamed = await handler(post({ input: "slow", stream: true, conversation: "c" }), ANN);
  const reader = streamed.body?.getReader();
  await reader?.read();
  await clerk.gate.reached;
  const busy = await handler(post({ input: "Hi", conversation: "c" }), ANN);
  assertEquals(await errorOf(busy), [400, "conversation_locked", "conversation"]);
  await reader?.cancel();
  assertEquals((await handler(post({ input: "Hi", conversation: "c" }), ANN)).status, 200);
});

Deno.test("a disconnected client that waits for a response cancels it", async () => {
  await using clerk = serveClerk();
  const runs: ServedRun[] = [];
  const handler = responsesHandler({ models: { clerk: recordRuns(clerk.served, runs) } });
  const controller = new AbortController();
  const waiting = handler(post({ input: "slow" }, { signal: controller.signal }), ANN);
  await clerk.gate.reached;
  controller.abort();
  assertEquals((await waiting).status, 499);
  assertEquals((await runs[0]?.settled())?.status, "cancelled");
});

Deno.test("a failed run is an error, and a failed response in the background", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const failed = await handler(post({ input: "fail" }), ANN);
  assertEquals(failed.headers.get("x-should-retry"), "false");
  assertEquals(await errorOf(failed), [500, "server_error", null]);
  const events = await eventsOf(await handler(post({ input: "fail", stream: true }), ANN));
  const { response, type } = endOf(events);
  assertEquals(type, "response.failed");
  assertEquals<object>(response.error, { code: "server_error", message: "An error occurred" });
  const retrieved = await jsonOf(await handler(get(response.id), ANN));
  assertEquals([retrieved.status, retrieved.error], ["failed", response.error]);
});

Deno.test("an error of the server is the last event of a stream", async () => {
  const clerk = serveClerk();
  const handler = handlerOf(clerk);
  const stream = await handler(post({ input: "slow", stream: true }), ANN);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  await reader?.read();
  await clerk.gate.reached;
  let text = "";
  const closing = clerk.served.close();
  for (let step = await reader?.read(); step?.done === false; step = await reader?.read()) {
    text += step.value;
  }
  await closing;
  const { data, event } = readEvents(text).at(-1) ?? {};
  assertEquals([event, JSON.parse(data ?? "")], ["error", {
    type: "error",
    code: "server_error",
    message: "The server is shutting down",
    param: null,
    sequence_number: 2,
  }]);
});

Deno.test("limits and filters make a response incomplete", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const reasons = { long: "max_output_tokens", filter: "content_filter" };
  for (const [input, reason] of Object.entries(reasons)) {
    const response = await jsonOf(await handler(post({ input }), ANN));
    assertEquals([response.status, response.incomplete_details], ["incomplete", { reason }]);
  }
});

Deno.test("a caller decides on tool calls", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk, { approvals: "caller" });
  const first = await jsonOf(await handler(post({ input: "pay" }), ANN));
  assertEquals(first.status, "completed");
  const [message, ...requests] = first.output;
  assertEquals(textsOf({ output: message === undefined ? [] : [message] }), ["I will pay."]);
  const [idA = "", idB = ""] = requests.map(({ id }) => id);
  assert([idA, idB].every((id) => /^mcpr_[\w-]{22}$/.test(id)) && idA !== idB);
  const request = { type: "mcp_approval_request", server_label: "clerk", name: "pay" };
  assertEquals<readonly object[]>(requests, [
    { ...request, id: idA, arguments: '{"amount":5}' },
    { ...request, id: idB, arguments: '{"amount":6}' },
  ]);
  assertEquals(await jsonOf(await handler(get(first.id), ANN)), first);
  const answer = (id: string, approve: boolean): object => ({
    type: "mcp_approval_response",
    approval_request_id: id,
    approve,
  });
  const next = { previous_response_id: first.id };
  for (const input of [[answer("mcpr_x", true)], [answer(idA, true), answer("mcpr_x", true)]]) {
    const response = await handler(post({ ...next, input }), ANN);
    assertEquals(await errorOf(response), [400, "invalid_value", "input"]);
  }
  const partly = await jsonOf(
    await handler(post({ ...next, input: [answer(idA, true)] }), ANN),
  );
  assertEquals(partly.output.map(({ id, type }) => [type, id]), [
    ["mcp_approval_request", idB],
  ]);
  assertEquals(partly.previous_response_id, first.id);
  const last = await jsonOf(
    await handler(
      post({ previous_response_id: partly.id, input: [answer(idB, false)] }),
      ANN,
    ),
  );
  assertEquals([last.status, textsOf(last)], ["completed", ["It is 42."]]);
  assertEquals(new Set([first.id, partly.id, last.id]).size, 3);
  assertEquals(textsOf(await jsonOf(await handler(get(last.id), ANN))), ["It is 42."]);
  const messages = await clerk.served.messages(
    ANN.principal,
    first.id.replace(/^resp_[^_]+_(.+)\.0$/, "$1"),
  );
  const results = messages.flatMap(({ content, role }) => role === "tool" ? content : []);
  assertEquals(results.map(({ output }) => output.type), ["text", "execution-denied"]);
  const again = post({ ...next, input: [answer(idA, true)] });
  assertEquals(await errorOf(await handler(again, ANN)), [400, "invalid_value", "input"]);
});

Deno.test("a caller decides on the calls of sub-agents, whose texts are not sent", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk, { approvals: "caller" });
  const ids: string[] = [];
  let body: object = { input: "ask the cashier" };
  const outputs: unknown[] = [];
  for (let count = 0; count < 3; count++) {
    const text = await (await handler(post(body), ANN)).text();
    assert(!text.includes("secret"));
    const { id, output }: Json = JSON.parse(text);
    ids.push(id);
    outputs.push(textsOf({ output }));
    const input = output.flatMap(({ id, type, ...call }) => {
      if (type !== "mcp_approval_request") return [];
      assertEquals<object>(call, {
        server_label: "clerk/cashier",
        name: "pay",
        arguments: `{"amount":${count + 1}}`,
      });
      return [{ type: "mcp_approval_response", approval_request_id: id, approve: true }];
    });
    body = { input, previous_response_id: id };
  }
  assertEquals(outputs, [["I ask."], [], ["It is 42."]]);
  assertEquals(new Set(ids).size, 3);
});

Deno.test("decisions are streamed, and can name the conversation", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk, { approvals: "caller" });
  const asked = await eventsOf(
    await handler(post({ input: "pay", conversation: "c", stream: true }), ANN),
  );
  const requests = endOf(asked).response.output.slice(1);
  const input = requests.map(({ id }) => ({
    type: "mcp_approval_response",
    approval_request_id: id,
    approve: true,
  }));
  const other = post({ input, conversation: "c" });
  assertEquals(await errorOf(await handler(other, BOB)), [400, "invalid_value", "input"]);
  const events = await eventsOf(
    await handler(post({ input, conversation: "c", stream: true }), ANN),
  );
  const deltas = events.filter(({ type }) => type === "response.output_text.delta");
  assertEquals(deltas.map(({ delta }) => delta).join(""), "It is 42.");
});

Deno.test("a caller does not decide on runs of another protocol", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk, { approvals: "caller" });
  const run = await clerk.served.start(ANN.principal, { turn: "pay", sessionId: "c" });
  const { waitingFor: [wait] } = await run.settled({ until: "waiting" });
  const id = await approvalIdOf(wait?.key ?? "");
  const input = [{ type: "mcp_approval_response", approval_request_id: id, approve: true }];
  const response = await handler(post({ input, conversation: "c" }), ANN);
  assertEquals(await errorOf(response), [400, "invalid_value", "input"]);
});

Deno.test("an operator decides on tool calls unless the caller may", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const { id } = await jsonOf(await handler(post({ input: "pay", background: true }), ANN));
  const runId = id.replace(/^resp_[^_]+_/, "");
  await (await clerk.served.get(ANN.principal, runId))?.settled({ until: "waiting" });
  const run = await clerk.served.get(ANN.principal, runId);
  const waiting = await handler(get(id), ANN);
  const text = await waiting.text();
  assertEquals([JSON.parse(text).status, text.includes("amount")], ["in_progress", false]);
  const input = [{ type: "mcp_approval_response", approval_request_id: "x", approve: true }];
  const decided = await handler(post({ input, previous_response_id: id }), ANN);
  assertEquals(await errorOf(decided), [400, "unsupported_parameter", "input"]);
  const streaming = ended(handler, id);
  for (const { key } of run?.state.waitingFor ?? []) await run?.input(key, { decision: "approve" });
  const response = await streaming;
  assertEquals([response.status, textsOf(response)], ["completed", ["I will pay.", "It is 42."]]);
});

Deno.test("the requests of a caller are limited, and the background is not", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk, { maxStreamsPerCaller: 1 });
  const { id } = await jsonOf(await handler(post({ input: "slow", background: true }), ANN));
  const stream = await handler(get(id, "?stream=true"), ANN);
  for (const request of [post({ input: "Hi" }), get(id, "?stream=true")]) {
    assertEquals(await errorOf(await handler(request, ANN)), [429, "rate_limit_exceeded", null]);
  }
  assertEquals((await handler(post({ input: "Hi" }), BOB)).status, 200);
  await stream.body?.cancel();
  assertEquals((await handler(post({ input: "Hi" }), ANN)).status, 200);
  assertEquals((await jsonOf(await handler(get(id), ANN))).status, "in_progress");
});

Deno.test("requests that do not match a route are rejected", async () => {
  await using clerk = serveClerk();
  const handler = handlerOf(clerk);
  const { id } = await jsonOf(await handler(post({ input: "Hi" }), ANN));
  const requests: readonly (readonly [string, string, number])[] = [
    ["GET", "", 405],
    ["DELETE", `/${id}`, 405],
    ["GET", `/${id}/cancel`, 405],
    ["POST", `/${id}`, 405],
    ["GET", `/${id}/input_items`, 404],
    ["POST", `/${id}/cancel/x`, 404],
  ];
  for (const [method, path, status] of requests) {
    const response = await handler(new Request(`${URL_PREFIX}${path}`, { method }), ANN);
    assertEquals([method, path, response.status], [method, path, status]);
  }
  assertEquals((await handler(post({ input: "Hi" }))).status, 401);
  assertEquals((await handler(new Request("https://example.com/v1/models"), ANN)).status, 200);
});

Deno.test("durable runs are served in the same way", async () => {
  const gate = createGate();
  const clerk = { version: "1", make: () => newClerk(gate) };
  await using runs = openRuns(memoryRuns(), { clerk }, { storeEvents: true });
  const working = runs.work();
  const models = { clerk: serveRuns(runs, { agent: "clerk" }) };
  const handler = responsesHandler({ models, approvals: "caller" });
  const first = await jsonOf(await handler(post({ input: "pay" }), ANN));
  assertEquals(first.output.map(({ type }) => type), [
    "message",
    "mcp_approval_request",
    "mcp_approval_request",
  ]);
  const input = first.output.slice(1).map(({ id }) => ({
    type: "mcp_approval_response",
    approval_request_id: id,
    approve: true,
  }));
  const next = post({ input, previous_response_id: first.id, stream: true });
  const last = await lastOf(await handler(next, ANN));
  assertEquals([last.status, textsOf(last)], ["completed", ["It is 42."]]);
  assertEquals((await jsonOf(await handler(get(last.id), ANN))).output, last.output);
  assertEquals((await handler(get(last.id), BOB)).status, 404);
  const { id } = await jsonOf(await handler(post({ input: "slow", background: true }), ANN));
  await gate.reached;
  assertEquals((await jsonOf(await handler(cancelOf(id), ANN))).status, "cancelled");
  await runs.close();
  await working;
});
