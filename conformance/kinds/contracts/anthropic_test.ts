import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../kit/json.ts";
import type { ProviderReply } from "../../kit/provider_turn.ts";
import type { ProviderRecord, ToolExecution } from "../provider_exchange.ts";
import { check, problemsOfValid, problemsOfViolations, record } from "./rule_tables.ts";

// Messages: the shapes of the requests of @anthropic-ai/sdk.

const THINKING: JsonObject = { type: "thinking", thinking: "why", signature: "sig-1" };
const REDACTED: JsonObject = { type: "redacted_thinking", data: "secret" };

function use(id: string): JsonObject {
  return { type: "tool_use", id, name: "add", input: { a: 1 } };
}

function result(id: string): JsonObject {
  return { type: "tool_result", tool_use_id: id, content: "1" };
}

function assistant(...content: readonly JsonObject[]): JsonObject {
  return { role: "assistant", content };
}

function user(...content: readonly JsonObject[]): JsonObject {
  return { role: "user", content };
}

const TEXT: JsonObject = { type: "text", text: "go" };
const MESSAGES_TOOL: JsonObject = { name: "add", input_schema: { type: "object" } };

function request(...messages: readonly JsonObject[]): JsonObject {
  return { model: "m", max_tokens: 9, messages: [user(TEXT), ...messages], tools: [MESSAGES_TOOL] };
}

function messagesRecord(
  second: JsonObject,
  content: readonly JsonObject[],
  { stop = "tool_use", executions = [] }: {
    readonly stop?: string;
    readonly executions?: readonly ToolExecution[];
  } = {},
): ProviderRecord {
  return record("anthropic", {
    requests: [request(), second],
    replies: [{ json: { type: "message", role: "assistant", content, stop_reason: stop } }],
    executions,
  });
}

Deno.test("the rules of Messages accept the conversations of correct clients", () => {
  assertEquals(
    problemsOfValid("anthropic", [
      messagesRecord(
        request(assistant(use("c1"), use("c2")), user(result("c2"), result("c1"), TEXT)),
        [
          use("c1"),
          use("c2"),
        ],
      ),
      messagesRecord(request(assistant(THINKING, REDACTED, use("c1")), user(result("c1"))), [
        THINKING,
        REDACTED,
        use("c1"),
      ]),
      messagesRecord(request(), [use("c1")], { stop: "max_tokens" }),
      messagesRecord(
        request(assistant(use("c1")), user({ type: "tool_result", tool_use_id: "c1" })),
        [use("c1")],
      ),
      record("anthropic", {
        requests: [request(), request(assistant(THINKING, use("c1")), user(result("c1")))],
        replies: [{
          events: [
            { data: { type: "message_start", message: { type: "message", content: [] } } },
            {
              data: { type: "content_block_start", index: 0, content_block: { type: "thinking" } },
            },
            block(0, { type: "thinking_delta", thinking: "w" }),
            block(0, { type: "thinking_delta", thinking: "hy" }),
            block(0, { type: "signature_delta", signature: "sig-1" }),
            { data: { type: "content_block_start", index: 1, content_block: use("c1") } },
            block(1, { type: "input_json_delta", partial_json: '{"a":1}' }),
          ],
        }],
      }),
    ]),
    [],
  );
});

function block(index: number, delta: JsonObject): { readonly data: JsonObject } {
  return { data: { type: "content_block_delta", index, delta } };
}

Deno.test("each rule of Messages finds its violation", () => {
  const one = [use("c1")];
  const two = [use("c1"), use("c2")];
  assertEquals(
    problemsOfViolations("anthropic", [
      ["one-result-for-each-call", messagesRecord(request(assistant(...one)), one), '"c1"'],
      [
        "no-second-result",
        messagesRecord(request(assistant(...one), user(result("c1"), result("c1"))), one),
        "2 results",
      ],
      [
        "results-directly-after-calls",
        messagesRecord(request(assistant(...one), user(TEXT), user(result("c1"))), one),
        "messages[2] is before",
      ],
      [
        "results-answer-calls",
        messagesRecord(request(assistant(...one), user(result("c9"))), one),
        '"c9"',
      ],
      [
        "call-ids-are-unique",
        messagesRecord(request(assistant(use("c1"), use("c1")), user(result("c1"))), one),
        "several calls",
      ],
      [
        "results-come-first",
        messagesRecord(request(assistant(...one), user(TEXT, result("c1"))), one),
        "after another block",
      ],
      [
        "results-in-one-message",
        messagesRecord(request(assistant(...two), user(result("c1")), user(result("c2"))), two),
        "messages[2] and messages[3]",
      ],
      [
        "results-from-the-user",
        messagesRecord(request(assistant(...one), { role: "tool", content: [result("c1")] }), one),
        "tool",
      ],
      [
        "input-is-an-object",
        messagesRecord(request(assistant({ ...use("c1"), input: "{}" }), user(result("c1"))), one),
        "input of the call",
      ],
      ["roles", messagesRecord(request({ role: "tool", content: "1" }), one), "tool"],
      [
        "tool-names",
        messagesRecord({ ...request(), tools: [{ ...MESSAGES_TOOL, name: "a.b" }] }, one),
        "a.b",
      ],
      [
        "tool-names-are-unique",
        messagesRecord({ ...request(), tools: [MESSAGES_TOOL, MESSAGES_TOOL] }, one),
        "several tools",
      ],
      [
        "tool-schemas",
        messagesRecord({ ...request(), tools: [{ name: "add" }] }, one),
        "input_schema",
      ],
      [
        "thinking-is-sent-back",
        messagesRecord(request(assistant(...one), user(result("c1"))), [THINKING, ...one]),
        "sig-1",
      ],
      [
        "thinking-is-sent-back",
        messagesRecord(
          request(assistant({ type: "thinking", thinking: "why" }, ...one), user(result("c1"))),
          [THINKING, ...one],
        ),
        "sig-1",
      ],
      [
        "redacted-thinking-is-sent-back",
        messagesRecord(request(assistant(...one), user(result("c1"))), [REDACTED, ...one]),
        "secret",
      ],
      [
        "no-execution-of-a-cut-call",
        messagesRecord(request(), one, {
          stop: "max_tokens",
          executions: [{ name: "add", input: { a: 1 }, requestsBefore: 1 }],
        }),
        "cut off",
      ],
    ]),
    [],
  );
});

Deno.test("a failed or cut response need not be a response that a client must send back", () => {
  const lost = request(assistant(use("c1")), user(result("c1")));
  for (const head of [{ status: 500 }, { cut: true }] as const) {
    const reply: ProviderReply = {
      ...head,
      json: { type: "message", content: [THINKING, use("c1")] },
    };
    const of = record("anthropic", { requests: [request(), lost], replies: [reply] });
    assertEquals(check("anthropic", "thinking-is-sent-back", of).isChecked, false);
  }
});
