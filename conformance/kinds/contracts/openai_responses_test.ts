import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../kit/json.ts";
import type { ProviderRecord } from "../provider_exchange.ts";
import { problemsOfValid, problemsOfViolations, record } from "./rule_tables.ts";

// Responses: the shapes of the requests of the openai package, with and without stored responses.

const RESPONSES_TOOL: JsonObject = {
  type: "function",
  name: "add",
  parameters: { type: "object" },
};
const USER_ITEM: JsonObject = { role: "user", content: "go" };
const REASONING: JsonObject = { type: "reasoning", id: "rs_1", summary: [] };

const ENCRYPTED: JsonObject = { ...REASONING, encrypted_content: "secret" };

function itemCall(callId: string): JsonObject {
  return {
    type: "function_call",
    id: `fc_${callId}`,
    call_id: callId,
    name: "add",
    arguments: "{}",
  };
}

function itemResult(callId: string, output: string | null = "1"): JsonObject {
  return { type: "function_call_output", call_id: callId, output };
}

function input(...items: readonly JsonObject[]): JsonObject {
  return { model: "m", input: items, tools: [RESPONSES_TOOL] };
}

function responsesRecord(second: JsonObject, output: readonly JsonObject[]): ProviderRecord {
  return record("openai-responses", {
    requests: [input(USER_ITEM), second],
    replies: [{ json: { id: "resp_1", output } }],
  });
}

Deno.test("the rules of Responses accept the conversations of correct clients", () => {
  assertEquals(
    problemsOfValid("openai-responses", [
      responsesRecord(input(USER_ITEM, REASONING, itemCall("c1"), itemResult("c1")), [
        REASONING,
        itemCall("c1"),
      ]),
      responsesRecord(
        input(USER_ITEM, { ...ENCRYPTED, id: "other" }, itemCall("c1"), itemResult("c1")),
        [ENCRYPTED, itemCall("c1")],
      ),
      responsesRecord(input(USER_ITEM, itemCall("c1"), USER_ITEM, itemResult("c1")), [
        itemCall("c1"),
      ]),
      responsesRecord(
        input(
          USER_ITEM,
          { type: "item_reference", id: "rs_1" },
          { type: "item_reference", id: "fc_c1" },
          itemResult("c1"),
        ),
        [REASONING, itemCall("c1")],
      ),
      responsesRecord({ ...input(itemResult("c1")), previous_response_id: "resp_1" }, [
        REASONING,
        itemCall("c1"),
      ]),
    ]),
    [],
  );
});

Deno.test("each rule of Responses finds its violation", () => {
  const call = itemCall("c1");
  assertEquals(
    problemsOfViolations("openai-responses", [
      ["one-result-for-each-call", responsesRecord(input(USER_ITEM, call), [call]), '"c1"'],
      [
        "one-result-for-each-call",
        responsesRecord({ ...input(USER_ITEM), previous_response_id: "resp_1" }, [call]),
        '"c1"',
      ],
      ["results-answer-calls", responsesRecord(input(itemResult("c1")), [call]), '"c1"'],
      [
        "call-ids-are-unique",
        responsesRecord(input(call, call, itemResult("c1")), [call]),
        'the id "c1"',
      ],
      ["results-have-output", responsesRecord(input(call, itemResult("c1", null)), [call]), "null"],
      [
        "calls-are-complete",
        responsesRecord(input({ ...call, arguments: {} }, itemResult("c1")), [call]),
        "arguments",
      ],
      [
        "tool-names",
        responsesRecord({ ...input(), tools: [{ ...RESPONSES_TOOL, name: "a b" }] }, []),
        "a b",
      ],
      [
        "tool-schemas",
        responsesRecord({ ...input(), tools: [{ ...RESPONSES_TOOL, parameters: [] }] }, []),
        "parameters",
      ],
      [
        "reasoning-is-sent-back",
        responsesRecord(input(USER_ITEM, call, itemResult("c1")), [REASONING, call]),
        "rs_1",
      ],
    ]),
    [],
  );
});
