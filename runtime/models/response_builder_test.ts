import { sleep } from "@parley/internal/timers";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fallbackModel } from "./fallback_model.ts";
import { openAiChat } from "./openai_chat.ts";
import { failureOf, QUESTION, streamed } from "./testdata/ask.ts";
import { chunk, completion, modelOf } from "./testdata/chat.ts";
import { eventStream, openStream } from "./testdata/fake_endpoint.ts";

const WHOLE = JSON.stringify(completion({ content: "Hello" }));
const EVENTS = [chunk({ content: "Hello" }), chunk({}, "stop"), "[DONE]"]
  .map((item) => `data: ${typeof item === "string" ? item : JSON.stringify(item)}\n\n`).join("");

/** Bodies, each with a `content-type` header that describes another format, or none. */
const MISLABELED: readonly (readonly [string, string, string?])[] = [
  ["a complete response labeled as an event stream", WHOLE, "text/event-stream"],
  ["a complete response labeled as text", WHOLE, "text/plain"],
  ["a complete response without a label", WHOLE],
  ["a complete response after a byte order mark", `\uFEFF${WHOLE}`, "application/json"],
  ["a complete response after white space", `\r\n\n  ${WHOLE}`, "text/event-stream"],
  ["a complete response in an array", `[${WHOLE}]`, "application/json"],
  ["an event stream labeled as JSON", EVENTS, "application/json"],
  ["an event stream labeled as text", EVENTS, "text/plain; charset=utf-8"],
  ["an event stream without a label", EVENTS],
  ["an event stream after a comment", `: wait\n\n${EVENTS}`, "application/json"],
  ["an event stream that begins with a type", `event: x\n${EVENTS}`, "application/json"],
  ["an event stream that begins with an id", `id: 1\n${EVENTS}`, "application/json"],
  ["an event stream without spaces", EVENTS.replaceAll("data: ", "data:"), "application/json"],
];

for (const [name, body, type] of MISLABELED) {
  Deno.test(`openAiChat() reads ${name}`, async () => {
    const bytes = new TextEncoder().encode(body);
    const reply = () =>
      new Response(bytes, type === undefined ? {} : { headers: { "content-type": type } });
    for (
      const { message } of [await modelOf(reply).generate(QUESTION), await streamed(modelOf(reply))]
    ) {
      assertEquals(message.content, [{ type: "text", text: "Hello" }]);
    }
  });
}

Deno.test("openAiChat() reads a body that arrives one byte at a time", async () => {
  for (const body of [WHOLE, EVENTS]) {
    const reply = () =>
      new Response(
        ReadableStream.from(
          [...new TextEncoder().encode(body)].map((byte) => new Uint8Array([byte])),
        ),
      );
    const { message } = await modelOf(reply).generate(QUESTION);
    assertEquals(message.content, [{ type: "text", text: "Hello" }]);
  }
});

Deno.test("openAiChat() rejects with the signal's reason if a streamed complete response is aborted", async () => {
  const reason = new Error("changed my mind");
  const controller = new AbortController();
  const end = [chunk({ content: "Hello" }), chunk({}, "stop")].map((item) => JSON.stringify(item));
  const model = modelOf(() => {
    // The abort happens when the reader waits for more data after the finish reason.
    sleep(0, controller.signal).then(() => controller.abort(reason));
    return openStream(end);
  });
  const work = model.generate({ ...QUESTION, signal: controller.signal });
  assertEquals(await assertRejects(() => work, Error), reason);
});

Deno.test("openAiChat() rejects an empty response with the finish reason error, a retryable error", async () => {
  const choices = [{ index: 0, message: { content: "" }, finish_reason: "error" }];
  const works = [
    () => modelOf(() => Response.json({ choices })).generate(QUESTION),
    () =>
      streamed(modelOf(() => eventStream([chunk({ content: "" }), chunk({}, "error"), "[DONE]"]))),
  ];
  for (const work of works) {
    const { message, retryable } = await failureOf(work());
    assertStringIncludes(message, 'the response is empty, and ended for reason "error"');
    assertEquals(retryable, true);
  }
  const model = fallbackModel([
    modelOf(() => Response.json({ choices })),
    modelOf(() => Response.json(completion({ content: "Hello" }))),
  ]);
  const { message } = await model.generate(QUESTION);
  assertEquals(message.content, [{ type: "text", text: "Hello" }]);
  const partial = [{ index: 0, message: { content: "Sorr" }, finish_reason: "error" }];
  const { finishReason } = await modelOf(() => Response.json({ choices: partial })).generate(
    QUESTION,
  );
  assertEquals(finishReason, "error");
});

Deno.test("openAiChat() does not read a text that resembles an event stream as one", async () => {
  const reply = () => new Response("internal error", { headers: { "content-type": "text/plain" } });
  const error = await failureOf(modelOf(reply).generate(QUESTION));
  assertStringIncludes(error.message, 'not valid JSON: "internal error"');
});

Deno.test("openAiChat() replaces lone surrogates in the request", async () => {
  let sent = "";
  const model = openAiChat({
    baseUrl: "http://127.0.0.1/v1",
    model: "m",
    fetch: (_url, init) => {
      sent = String(init.body);
      return Promise.resolve(Response.json(completion({ content: "ok" })));
    },
  });
  const text = "a\ud83d b\ude00\ud83d c\u{1f600} d\\ud83d e\\\ud83d";
  await model.generate({
    ...QUESTION,
    messages: [{ role: "user", content: [{ type: "text", text }] }],
  });
  assertEquals(JSON.parse(sent).messages[0].content, text.toWellFormed());
  assertEquals(sent.includes("d\\\\ud83d"), true);
});
