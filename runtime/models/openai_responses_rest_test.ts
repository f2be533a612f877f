/** Data of the OpenAI Responses API that only the last events of an item contain. */

import { assertEquals } from "@std/assert";
import { collect } from "./testdata/ask.ts";
import {
  completed,
  functionCall,
  itemEvents,
  message,
  read,
  streamOf,
} from "./testdata/responses.ts";

const TEXT = "response.output_text";
const CALL = "response.function_call_arguments";

/** Returns the deltas of a stream, joined, and the content of its response. */
async function readAll(events: readonly object[]): Promise<[string, unknown]> {
  let text = "";
  let content: unknown;
  for (const event of await collect(streamOf(events))) {
    if (event.type === "finish") content = event.response.message.content;
    else text += event.delta;
  }
  return [text, content];
}

Deno.test("openAiResponses() adds the end of a text that the deltas do not contain", async () => {
  const expected: [string, unknown] = ["Hello", [{ type: "text", text: "Hello" }]];
  const [begin = {}, part = {}, delta = {}, end = {}] = itemEvents(
    0,
    message("Hello"),
    `${TEXT}.delta`,
    ["Hel"],
  );
  const done = { type: `${TEXT}.done`, output_index: 0, content_index: 0, text: "Hello" };
  assertEquals(await readAll([begin, part, delta, end, completed()]), expected);
  assertEquals(await readAll([begin, part, delta, done, end, completed()]), expected);
  assertEquals(await readAll([begin, part, delta, done, completed()]), expected);
  const empty = { ...end, item: message("", { content: [] }) };
  assertEquals(await readAll([begin, part, delta, done, empty, completed()]), expected);
});

Deno.test("openAiResponses() adds the end of the second part of a text", async () => {
  const at = (content_index: number) => ({ output_index: 0, content_index });
  const [begin = {}] = itemEvents(0, message(""), "", []);
  const [, content] = await readAll([
    begin,
    { type: `${TEXT}.delta`, ...at(0), delta: "A" },
    { type: `${TEXT}.done`, ...at(0), text: "A" },
    { type: `${TEXT}.delta`, ...at(1), delta: "B" },
    { type: `${TEXT}.done`, ...at(0), text: "A" },
    { type: `${TEXT}.done`, ...at(1), text: "Bc" },
    completed(),
  ]);
  assertEquals(content, [{ type: "text", text: "ABc" }]);
});

Deno.test("openAiResponses() adds the end of an input that the deltas do not contain", async () => {
  const call = { type: "tool-call", toolCallId: "call_1", toolName: "f", input: { a: 1 } };
  const [begin = {}, delta = {}, end = {}] = itemEvents(
    0,
    functionCall("f", '{"a":1}'),
    `${CALL}.delta`,
    ['{"a"'],
  );
  const done = { type: `${CALL}.done`, output_index: 0, arguments: '{"a":1}' };
  for (
    const events of [
      [begin, delta, end],
      [begin, delta, done, end],
      [begin, delta, done],
      [begin, delta, done, { ...end, item: functionCall("f", "") }],
    ]
  ) {
    assertEquals(await readAll([...events, completed()]), ['{"a":1}', [call]]);
  }
});

Deno.test("openAiResponses() reads a list of texts as content", async () => {
  const { message: { content } } = await read([message("", { content: ["a", "b"] })]);
  assertEquals(content, [{ type: "text", text: "ab" }]);
});
