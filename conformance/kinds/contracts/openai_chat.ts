/**
 * Rules of the Chat Completions API.
 *
 * @see https://github.com/openai/openai-openapi
 * @module
 */

import { isObject, readJson } from "../../kit/json.ts";
import { show } from "../../kit/match_value.ts";
import { compileSchema } from "../../kit/schema.ts";
import type { ProviderRecord } from "../provider_exchange.ts";
import { chatCalls } from "./answer.ts";
import { type ContractRule, NOT_CHECKED, type RuleFindings } from "./contract_rule.ts";
import type { ConversationStep } from "./conversation.ts";
import { type Fields, isSameValue, objectIn, objectsIn, textIn } from "./fields.ts";
import {
  checkRequests,
  findBadNames,
  type OfferedTool,
  pairingRules,
  relevant,
  requestRule,
  toolRule,
} from "./request_rules.ts";

const API = "openai-chat";
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ROLES: readonly unknown[] = ["developer", "system", "user", "assistant", "tool", "function"];

/** Reads the conversation of a request. */
export function readChat({ messages }: Fields): readonly ConversationStep[] {
  return objectsIn(messages).map((message, index) => ({
    at: `messages[${index}]`,
    calls: callsIn(message).map((call) => ({
      id: textIn(call, "id"),
      name: textIn(objectIn(call, "function"), "name"),
      input: objectIn(call, "function").arguments,
    })),
    results: message.role === "tool" ? [textIn(message, "tool_call_id")] : [],
  }));
}

function callsIn(message: Fields): readonly Fields[] {
  return objectsIn(message.tool_calls).filter(({ type }) => type !== "custom");
}

function allCalls({ messages }: Fields): readonly Fields[] {
  return objectsIn(messages).flatMap(callsIn);
}

function resultsIn({ messages }: Fields): readonly Fields[] {
  return objectsIn(messages).filter(({ role }) => role === "tool");
}

function readTools({ tools }: Fields): readonly OfferedTool[] {
  return objectsIn(tools).filter(({ type }) => type === "function").map((tool) => {
    const { name, parameters } = objectIn(tool, "function");
    return { name, schema: parameters };
  });
}

function hasContent({ content }: Fields): boolean {
  return typeof content === "string" || Array.isArray(content) && content.length > 0;
}

/** Finds the calls whose arguments differ from the JSON that the model generated. */
function checkArguments(record: ProviderRecord): RuleFindings {
  return checkRequests(record, ({ body, before }) => {
    const answered = new Map(
      before.flatMap(({ reply }) => chatCalls(reply))
        .filter((call) => readJson(call.arguments) !== undefined)
        .map((call) => [call.id, call.arguments]),
    );
    const known = readChat(body).flatMap(({ calls }) => calls).filter(({ id }) => answered.has(id));
    return relevant(known, ({ id, input }) => {
      const sent = answered.get(id);
      return sent === input || isSameJson(sent, input)
        ? undefined
        : `the call "${id}" has the arguments ${show(input, 60)} instead of ${show(sent, 60)}`;
    });
  });
}

function isSameJson(left: unknown, right: unknown): boolean {
  if (typeof left !== "string" || typeof right !== "string") return false;
  const [one, other] = [readJson(left), readJson(right)];
  return one !== undefined && other !== undefined && isSameValue(one.value, other.value);
}

/**
 * Finds executions of tools that no call with acceptable arguments asked for: more executions of a
 * tool than acceptable calls of it, if the model also called the tool with other arguments.
 */
function checkExecutions(
  { exchanges, executions }: ProviderRecord,
  isAcceptable: (name: string, text: string) => boolean,
): RuleFindings {
  const calls = exchanges.flatMap(({ reply }) => chatCalls(reply));
  const refused = calls.filter((call) => !isAcceptable(call.name, call.arguments));
  if (refused.length === 0) return NOT_CHECKED;
  const violations = [...new Set(refused.map(({ name }) => name))].flatMap((name) => {
    const allowed = calls.filter((call) =>
      call.name === name && isAcceptable(name, call.arguments)
    ).length;
    const ran = executions.filter((execution) => execution.name === name);
    const extra = ran[allowed];
    const [call] = refused.filter((each) => each.name === name);
    return extra === undefined ? [] : [
      `"${name}" ran with ${show(extra.input, 60)} for the arguments ${show(call?.arguments, 60)}`,
    ];
  });
  return { isChecked: true, violations };
}

/** Returns true if arguments are valid against the schema that the subject offered. */
function schemaTest({ exchanges }: ProviderRecord): (name: string, text: string) => boolean {
  const tools = exchanges.flatMap(({ request }) => readTools(request.json ?? {}));
  return (name, text) => {
    const schema = tools.find((tool) => tool.name === name)?.schema;
    const value = readJson(text);
    // Arguments that are not JSON are the subject of another rule.
    if (value === undefined || !isObject(schema)) return true;
    return compileSchema(schema)(value.value) === undefined;
  };
}

/** The rules of the Chat Completions API. */
export const CHAT_RULES: readonly ContractRule[] = [
  ...pairingRules(API, readChat, [
    "one-result-for-each-call",
    "results-directly-after-calls",
    "results-answer-calls",
    "no-second-result",
  ]),
  requestRule(
    "results-name-their-call",
    API,
    (body) =>
      relevant(
        resultsIn(body),
        ({ tool_call_id: id }) =>
          typeof id === "string" && id !== ""
            ? undefined
            : `a tool message with the tool_call_id ${show(id, 40)}`,
      ),
  ),
  requestRule(
    "results-have-content",
    API,
    (body) =>
      relevant(
        resultsIn(body),
        (message) =>
          hasContent(message)
            ? undefined
            : `a tool message with the content ${show(message.content, 40)}`,
      ),
  ),
  requestRule("calls-are-complete", API, (body) =>
    relevant(allCalls(body), (call) => {
      const { name } = objectIn(call, "function");
      const isComplete = typeof call.id === "string" && call.type === "function" &&
        typeof name === "string";
      return isComplete ? undefined : `the call ${show(call, 80)} lacks id, type or name`;
    })),
  requestRule("arguments-are-text", API, (body) =>
    relevant(allCalls(body), (call) => {
      const { arguments: text } = objectIn(call, "function");
      return typeof text === "string" ? undefined : `the arguments ${show(text, 60)}`;
    })),
  { name: "arguments-keep-their-value", api: API, check: checkArguments },
  requestRule(
    "roles",
    API,
    ({ messages }) =>
      relevant(
        objectsIn(messages),
        ({ role }) => ROLES.includes(role) ? undefined : `the role ${show(role, 40)}`,
      ),
  ),
  toolRule("tool-names", API, { read: readTools, check: (tools) => findBadNames(tools, NAME) }),
  toolRule("tool-schemas", API, {
    read: readTools,
    check: (tools) =>
      tools.filter(({ schema }) => schema !== undefined && !isObject(schema))
        .map(({ name, schema }) => `the parameters of ${show(name, 40)} are ${show(schema, 40)}`),
  }),
  {
    name: "no-execution-without-json",
    api: API,
    check: (record) => checkExecutions(record, (_, text) => readJson(text) !== undefined),
  },
  {
    name: "no-execution-against-the-schema",
    api: API,
    check: (record) => checkExecutions(record, schemaTest(record)),
  },
];
