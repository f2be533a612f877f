import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../kit/json.ts";
import type { ProviderReply } from "../../kit/provider_turn.ts";
import type { ProviderRecord } from "../provider_exchange.ts";
import {
  check,
  problemsOfValid,
  problemsOfViolations,
  record,
  type RecordParts,
} from "./rule_tables.ts";

// Chat Completions: the shapes of the requests of the openai package and of @ai-sdk/openai.

const GO: JsonObject = { role: "user", content: "go" };
const ADD: JsonObject = {
  type: "function",
  function: {
    name: "add",
    description: "Adds",
    parameters: {
      type: "object",
      properties: { a: { type: "number" } },
      required: ["a"],
    },
  },
};

function chatCall(id: string, text = '{"a":1}'): JsonObject {
  return { id, type: "function", function: { name: "add", arguments: text } };
}

function chat(...messages: readonly JsonObject[]): JsonObject {
  return {
    model: "m",
    messages: [{ role: "system", content: "S" }, GO, ...messages],
    tools: [ADD],
  };
}

function asks(...calls: readonly JsonObject[]): JsonObject {
  return { role: "assistant", content: null, tool_calls: calls };
}

function says(id: string, content: string | null = "1"): JsonObject {
  return { role: "tool", tool_call_id: id, content };
}

function chatReply(...calls: readonly JsonObject[]): ProviderReply {
  return {
    json: { choices: [{ index: 0, message: asks(...calls), finish_reason: "tool_calls" }] },
  };
}

function chatRecord(second: JsonObject, parts: Partial<RecordParts> = {}): ProviderRecord {
  return record("openai-chat", {
    requests: [chat(), second],
    replies: [chatReply(chatCall("c1"))],
    ...parts,
  });
}

const BROKEN: Partial<RecordParts> = { replies: [chatReply(chatCall("c1", '{"a":'))] };

Deno.test("the rules of Chat Completions accept the conversations of correct clients", () => {
  assertEquals(
    problemsOfValid("openai-chat", [
      chatRecord(chat(asks(chatCall("c1")), says("c1"))),
      chatRecord(chat(asks(chatCall("c1"), chatCall("c2")), says("c2"), says("c1"), GO)),
      chatRecord(chat(asks(chatCall("c1", '{ "a": 1 }')), {
        role: "tool",
        tool_call_id: "c1",
        content: [{ type: "text", text: "1" }],
      })),
      chatRecord(chat(asks(chatCall("c1", '{"a":')), says("c1", "invalid")), BROKEN),
      chatRecord(chat(asks(chatCall("c1", '{"a":"x"}')), says("c1", "invalid")), {
        replies: [chatReply(chatCall("c1", '{"a":"x"}'))],
      }),
      chatRecord(chat(asks(chatCall("c1")), says("c1")), {
        replies: [{
          events: [
            { data: { choices: [{ index: 0, delta: { tool_calls: [chunk(0, "c1", '{"a"')] } }] } },
            { data: { choices: [{ index: 0, delta: { tool_calls: [chunk(0, "", ":1}")] } }] } },
            { data: "[DONE]" },
          ],
        }],
        executions: [{ name: "add", input: { a: 1 }, requestsBefore: 1 }],
      }),
    ]),
    [],
  );
});

function chunk(index: number, id: string, text: string): JsonObject {
  const called = { arguments: text, ...(id === "" ? {} : { name: "add" }) };
  return { index, ...(id === "" ? {} : { id }), function: called };
}

Deno.test("each rule of Chat Completions finds its violation", () => {
  const ran = (input: unknown) => [{ name: "add", input, requestsBefore: 1 }];
  assertEquals(
    problemsOfViolations("openai-chat", [
      ["one-result-for-each-call", chatRecord(chat(asks(chatCall("c1")))), '"c1"'],
      [
        "one-result-for-each-call",
        chatRecord(chat(asks(chatCall("c1"), chatCall("c2")), says("c1"))),
        'no result for the call "c2"',
      ],
      [
        "results-directly-after-calls",
        chatRecord(chat(asks(chatCall("c1")), GO, says("c1"))),
        "messages[3] is before",
      ],
      ["results-answer-calls", chatRecord(chat(says("c1"))), 'result for "c1"'],
      [
        "results-answer-calls",
        chatRecord(chat(asks(chatCall("c1")), says("c9"))),
        'result for "c9"',
      ],
      [
        "no-second-result",
        chatRecord(chat(asks(chatCall("c1")), says("c1"), says("c1"))),
        "2 results",
      ],
      [
        "results-name-their-call",
        chatRecord(chat(asks(chatCall("c1")), { role: "tool", content: "1" })),
        "tool_call_id",
      ],
      ["results-have-content", chatRecord(chat(asks(chatCall("c1")), says("c1", null))), "null"],
      [
        "results-have-content",
        chatRecord(chat(asks(chatCall("c1")), { role: "tool", tool_call_id: "c1" })),
        "content",
      ],
      [
        "calls-are-complete",
        chatRecord(
          chat(asks({ id: "c1", function: { name: "add", arguments: "{}" } }), says("c1")),
        ),
        "lacks id, type or name",
      ],
      [
        "arguments-are-text",
        chatRecord(
          chat(
            asks({ id: "c1", type: "function", function: { name: "add", arguments: { a: 1 } } }),
            says("c1"),
          ),
        ),
        "the arguments",
      ],
      [
        "arguments-keep-their-value",
        chatRecord(chat(asks(chatCall("c1", '{"a":2}')), says("c1"))),
        "instead of",
      ],
      ["roles", chatRecord(chat({ role: "model", content: "1" })), "model"],
      [
        "tool-names",
        chatRecord({ ...chat(), tools: [{ type: "function", function: { name: "a.b" } }] }),
        "a.b",
      ],
      [
        "tool-schemas",
        chatRecord({
          ...chat(),
          tools: [{ type: "function", function: { name: "add", parameters: "{}" } }],
        }),
        "parameters",
      ],
      [
        "no-execution-without-json",
        chatRecord(chat(asks(chatCall("c1", '{"a":')), says("c1")), {
          ...BROKEN,
          executions: ran({}),
        }),
        '"add" ran with {}',
      ],
      [
        "no-execution-against-the-schema",
        chatRecord(chat(asks(chatCall("c1", '{"a":"x"}')), says("c1")), {
          replies: [chatReply(chatCall("c1", '{"a":"x"}'))],
          executions: ran({ a: "x" }),
        }),
        '"add" ran with',
      ],
    ]),
    [],
  );
});

Deno.test("an execution for a correct call is allowed if another call has broken input", () => {
  const both = chatRecord(chat(), {
    replies: [chatReply(chatCall("c1", "{"), chatCall("c2"))],
    executions: [{ name: "add", input: { a: 1 }, requestsBefore: 1 }],
  });
  assertEquals(check("openai-chat", "no-execution-without-json", both), {
    isChecked: true,
    violations: [],
  });
});
