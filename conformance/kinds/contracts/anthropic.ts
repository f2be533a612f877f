/**
 * Rules of the Messages API.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 * @module
 */

import { isObject } from "../../kit/json.ts";
import { show } from "../../kit/match_value.ts";
import type { ProviderRecord } from "../provider_exchange.ts";
import { contentBlocks, stopReason } from "./answer.ts";
import { type ContractRule, NOT_CHECKED, type RuleFindings } from "./contract_rule.ts";
import type { ConversationStep } from "./conversation.ts";
import { type Fields, isSameValue, objectsIn, textIn } from "./fields.ts";
import {
  checkRequests,
  findBadNames,
  type OfferedTool,
  pairingRules,
  relevant,
  type RequestInCase,
  requestRule,
  toolRule,
} from "./request_rules.ts";

const API = "anthropic";
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ROLES: readonly unknown[] = ["user", "assistant", "system"];

function isUse({ type }: Fields): boolean {
  return type === "tool_use";
}

function isResult({ type }: Fields): boolean {
  return type === "tool_result";
}

/** Reads the conversation of a request. */
export function readMessages({ messages }: Fields): readonly ConversationStep[] {
  return objectsIn(messages).map(({ content }, index) => ({
    at: `messages[${index}]`,
    calls: objectsIn(content).filter(isUse).map((block) => ({
      id: textIn(block, "id"),
      name: textIn(block, "name"),
      input: block.input,
    })),
    results: objectsIn(content).filter(isResult).map((block) => textIn(block, "tool_use_id")),
  }));
}

function messagesWithResults({ messages }: Fields): readonly Fields[] {
  return objectsIn(messages).filter(({ content }) => objectsIn(content).some(isResult));
}

function usesIn({ messages }: Fields): readonly Fields[] {
  return objectsIn(messages).flatMap(({ content }) => objectsIn(content).filter(isUse));
}

function hasLateResult({ content }: Fields): boolean {
  const blocks = objectsIn(content);
  const other = blocks.findIndex((block) => !isResult(block));
  return other >= 0 && blocks.slice(other).some(isResult);
}

/** Finds calls of one message whose results are in several messages. */
function findSplitResults(body: Fields): readonly string[] | undefined {
  const steps = readMessages(body);
  return relevant(steps.filter(({ calls }) => calls.length > 1), ({ at, calls }) => {
    const ids = calls.map(({ id }) => id);
    const places = steps.filter(({ results }) => results.some((id) => ids.includes(id)));
    return places.length > 1
      ? `the results for ${at} are in ${places.map((place) => place.at).join(" and ")}`
      : undefined;
  });
}

function readTools({ tools }: Fields): readonly OfferedTool[] {
  return objectsIn(tools).filter(({ type }) => type === undefined || type === "custom")
    .map(({ name, input_schema: schema }) => ({ name, schema }));
}

/**
 * Finds blocks of the last response that the request does not contain unchanged, if the request
 * continues the response with results.
 */
function findLostBlocks(
  { body, before }: RequestInCase,
  type: "thinking" | "redacted_thinking",
): readonly string[] | undefined {
  const last = before.findLast(({ reply }) => contentBlocks(reply).length > 0);
  const answer = contentBlocks(last?.reply);
  const ids = answer.filter(isUse).map(({ id }) => id);
  const message = objectsIn(body.messages)
    .find(({ content }) =>
      objectsIn(content).some((block) => isUse(block) && ids.includes(block.id))
    );
  if (message === undefined) return undefined;
  const sent = objectsIn(message.content);
  return relevant(
    answer.filter((block) => block.type === type),
    (block) =>
      sent.some((each) => isSameBlock(each, block))
        ? undefined
        : `the block ${show(block, 80)} is not sent back unchanged`,
  );
}

/** Names of the members of a thinking block that must not change. */
const THINKING_MEMBERS = ["type", "thinking", "signature", "data"] as const;

function isSameBlock(sent: Fields, block: Fields): boolean {
  return THINKING_MEMBERS.every((name) => isSameValue(sent[name], block[name]));
}

/** Finds executions of the last call of a response that the token limit cut off. */
function checkCutCalls({ exchanges, executions }: ProviderRecord): RuleFindings {
  const cut = exchanges.flatMap(({ reply, index }) => {
    const last = contentBlocks(reply).at(-1);
    const isCut = stopReason(reply) === "max_tokens" && last !== undefined && isUse(last);
    return isCut ? [{ name: textIn(last, "name"), after: index + 1 }] : [];
  });
  if (cut.length === 0) return NOT_CHECKED;
  const violations = cut.filter(({ name, after }) =>
    executions.some((each) => each.name === name && each.requestsBefore === after)
  ).map(({ name }) => `"${name}" ran for a call that max_tokens cut off`);
  return { isChecked: true, violations };
}

/** The rules of the Messages API. */
export const ANTHROPIC_RULES: readonly ContractRule[] = [
  ...pairingRules(API, readMessages, [
    "one-result-for-each-call",
    "no-second-result",
    "results-directly-after-calls",
    "results-answer-calls",
    "call-ids-are-unique",
  ]),
  requestRule(
    "results-come-first",
    API,
    (body) =>
      relevant(
        messagesWithResults(body),
        (message) =>
          hasLateResult(message)
            ? `a tool_result after another block in ${show(message, 100)}`
            : undefined,
      ),
  ),
  requestRule("results-in-one-message", API, findSplitResults),
  requestRule(
    "results-from-the-user",
    API,
    (body) =>
      relevant(
        messagesWithResults(body),
        ({ role }) =>
          role === "user"
            ? undefined
            : `a tool_result in a message with the role ${show(role, 40)}`,
      ),
  ),
  requestRule(
    "input-is-an-object",
    API,
    (body) =>
      relevant(
        usesIn(body),
        ({ id, input }) =>
          isObject(input) ? undefined : `the input of the call "${id}" is ${show(input, 60)}`,
      ),
  ),
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
  toolRule("tool-names-are-unique", API, {
    read: readTools,
    check: (tools) => {
      const names = tools.map(({ name }) => name);
      return names.filter((name, index) => names.indexOf(name) < index)
        .map((name) => `several tools have the name ${show(name, 40)}`);
    },
  }),
  toolRule("tool-schemas", API, {
    read: readTools,
    check: (tools) =>
      tools.filter(({ schema }) => !isObject(schema) || schema.type !== "object")
        .map(({ name, schema }) => `the input_schema of ${show(name, 40)} is ${show(schema, 60)}`),
  }),
  {
    name: "thinking-is-sent-back",
    api: API,
    check: (record) => checkRequests(record, (each) => findLostBlocks(each, "thinking")),
  },
  {
    name: "redacted-thinking-is-sent-back",
    api: API,
    check: (record) => checkRequests(record, (each) => findLostBlocks(each, "redacted_thinking")),
  },
  { name: "no-execution-of-a-cut-call", api: API, check: checkCutCalls },
];
