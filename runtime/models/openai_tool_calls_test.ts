import { assert, assertEquals } from "@std/assert";
import { callsOf, collect, streamed } from "./testdata/ask.ts";
import { chunk, modelOf } from "./testdata/chat.ts";
import { eventStream } from "./testdata/fake_endpoint.ts";

/**
 * Streams of tool calls from different servers. Each stream contains the calls `f({"a":1})` and
 * `g({"b":2})`.
 */
const CALL_STREAMS: readonly (readonly [string, readonly object[]])[] = [
  ["as documented", [
    { index: 0, id: "x", function: { name: "f", arguments: "" } },
    { index: 0, function: { arguments: '{"a":' } },
    { index: 0, function: { arguments: "1}" } },
    { index: 1, id: "y", function: { name: "g", arguments: '{"b":' } },
    { index: 1, function: { arguments: "2}" } },
  ]],
  ["without an index (ollama#7881)", [
    { id: "x", function: { name: "f", arguments: '{"a":1}' } },
    { id: "y", function: { name: "g", arguments: '{"b":2}' } },
  ]],
  ["with index 0 for all calls (ollama#15457)", [
    { index: 0, id: "x", function: { name: "f", arguments: '{"a":1}' } },
    { index: 0, id: "y", function: { name: "g", arguments: '{"b":2}' } },
  ]],
  ["without an index or id after the first chunk", [
    { id: "x", function: { name: "f", arguments: '{"a"' } },
    { function: { arguments: ":1}" } },
    { id: "y", function: { name: "g", arguments: '{"b"' } },
    { function: { arguments: ":2}" } },
  ]],
  ["with the id in each chunk but no index", [
    { id: "x", function: { name: "f", arguments: "" } },
    { id: "y", function: { name: "g", arguments: "" } },
    { id: "x", function: { arguments: '{"a":1}' } },
    { id: "y", function: { arguments: '{"b":2}' } },
  ]],
  ["with a new id in each chunk", [
    { index: 0, id: "x", function: { name: "f", arguments: "" } },
    { index: 0, id: "x2", function: { arguments: '{"a":1}' } },
    { index: 1, id: "y", function: { name: "g", arguments: "" } },
    { index: 1, id: "y2", function: { arguments: '{"b":2}' } },
  ]],
  ["with the name in each chunk and no index or id", [
    { function: { name: "f", arguments: '{"a":' } },
    { function: { name: "f", arguments: "1}" } },
    { function: { name: "g", arguments: '{"b":' } },
    { function: { name: "g", arguments: "2}" } },
  ]],
  ["with empty ids and names after the first chunk", [
    { index: 0, id: "x", function: { name: "f", arguments: "" } },
    { index: 0, id: "", function: { name: "", arguments: '{"a":1}' } },
    { index: 1, id: "y", function: { name: "g", arguments: null } },
    { index: 1, id: null, function: { name: null, arguments: '{"b":2}' } },
  ]],
  ["with the name after the id", [
    { index: 0, id: "x", type: "function" },
    { index: 0, function: { name: "f" } },
    { index: 0, function: { arguments: '{"a":1}' } },
    { index: 1, id: "y", function: { name: "g", arguments: { b: 2 } } },
  ]],
];

for (const [name, pieces] of CALL_STREAMS) {
  Deno.test(`openAiChat() assembles streamed tool calls: ${name}`, async () => {
    const chunks = pieces.map((piece) => chunk({ tool_calls: [piece] }));
    const response = await streamed(
      modelOf(() => eventStream([...chunks, chunk({}, "tool_calls"), "[DONE]"])),
    );
    const calls = callsOf(response);
    assertEquals(calls.map(({ toolName, input }) => [toolName, input]), [
      ["f", { a: 1 }],
      ["g", { b: 2 }],
    ]);
    assertEquals(new Set(calls.map(({ toolCallId }) => toolCallId)).size, 2);
  });
}

Deno.test("openAiChat() reads a call once if the last chunk repeats it in a message", async () => {
  const pay = (rest: object, input: unknown = '{"eur":5}') => ({
    ...rest,
    function: { name: "pay", arguments: input },
  });
  const last = (message: object) => ({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  const rows: readonly (readonly [first: readonly object[], message: object])[] = [
    [[chunk({ tool_calls: [pay({ index: 0 })] })], { tool_calls: [pay({})] }],
    [[chunk({ tool_calls: [pay({ index: 0 })] })], { tool_calls: [pay({ id: "x" })] }],
    [[chunk({ tool_calls: [pay({ index: 0, id: "a" })] })], { tool_calls: [pay({ id: "a" })] }],
    [[chunk({ tool_calls: [pay({ index: 0, id: "a" })] })], { tool_calls: [pay({ id: "b" })] }],
    [[chunk({ tool_calls: [pay({})] })], { tool_calls: [pay({ index: 0, id: "b" })] }],
    [[chunk({ tool_calls: [pay({ index: 0 })] })], { tool_calls: [pay({}, { eur: 5 })] }],
    [[chunk({ tool_calls: [pay({ index: 0 }, '{ "eur": 5 }')] })], { tool_calls: [pay({})] }],
    [[chunk({ tool_calls: [pay({ index: 0 }, '{"e')] })], { tool_calls: [pay({})] }],
    [[chunk({ function_call: pay({}).function })], { function_call: pay({}).function }],
    [[chunk({ tool_calls: [pay({ index: 0 })] })], { function_call: pay({}).function }],
    [
      [chunk({ reasoning_content: "So" }), chunk({ tool_calls: [pay({ index: 0 })] })],
      { reasoning_content: "So", tool_calls: [pay({})] },
    ],
    // The whole input again in a piece, not in a message.
    [
      [
        chunk({ tool_calls: [pay({ index: 0, id: "a" })] }),
        chunk({ tool_calls: [pay({ index: 0, id: "a" })] }),
      ],
      {},
    ],
  ];
  for (const [first, message] of rows) {
    const model = modelOf(() => eventStream([...first, last(message), "[DONE]"]));
    const events = await collect(model);
    const deltas = events.map((event) => event.type === "tool-input-delta" ? event.delta : "");
    assertEquals(JSON.parse(deltas.join("")), { eur: 5 });
    const end = events.at(-1);
    assert(end?.type === "finish");
    const calls = callsOf(end.response).map(({ toolName, input }) => [toolName, input]);
    assertEquals(calls, [["pay", { eur: 5 }]]);
    const reasoning = end.response.message.content.filter(({ type }) => type === "reasoning");
    assert(reasoning.every((part) => "text" in part && part.text === "So"));
  }
});

Deno.test("openAiChat() reads the further calls of a message in the last chunk", async () => {
  const call = (name: string, input: string, rest: object = {}) => ({
    ...rest,
    function: { name, arguments: input },
  });
  const message = { tool_calls: [call("f", "{}"), call("f", '{"a":1}'), call("g", "{}")] };
  const response = await streamed(modelOf(() =>
    eventStream([
      chunk({ tool_calls: [call("f", '{"a":1}', { index: 0, id: "c" })] }),
      { choices: [{ index: 0, message, finish_reason: "tool_calls" }] },
      "[DONE]",
    ])
  ));
  const calls = callsOf(response).map(({ toolName, input }) => [toolName, input]);
  assertEquals(calls, [["f", { a: 1 }], ["f", {}], ["g", {}]]);
});
