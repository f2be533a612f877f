/**
 * Rules of the Responses API.
 *
 * @see https://github.com/openai/openai-openapi
 * @module
 */

import { isObject } from "../../kit/json.ts";
import { show } from "../../kit/match_value.ts";
import { outputItems } from "./answer.ts";
import type { ContractRule } from "./contract_rule.ts";
import {
  type ConversationStep,
  findMissingResults,
  findRepeatedIds,
  findUnaskedResults,
} from "./conversation.ts";
import { type Fields, objectsIn, textIn } from "./fields.ts";
import {
  checkRequests,
  findBadNames,
  type OfferedTool,
  relevant,
  type RequestInCase,
  requestRule,
  toolRule,
} from "./request_rules.ts";

const API = "openai-responses";
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** Returns true if the provider keeps the conversation, so that a request contains only its end. */
function isKept({ previous_response_id: previous, conversation }: Fields): boolean {
  return typeof previous === "string" || conversation !== undefined && conversation !== null;
}

/** Reads the calls and results of a request, and those of earlier responses that the API keeps. */
function readItems({ body, before }: RequestInCase): readonly ConversationStep[] {
  const kept = isKept(body) ? before.flatMap(({ reply }) => outputItems(reply)) : [];
  const answered = isKept(body)
    ? before.flatMap(({ request }) => objectsIn(request.json?.input)).filter(isResult)
    : [];
  const sent = objectsIn(body.input).map((item) => resolve(item, before));
  return [...kept, ...answered, ...sent].map((item, index) => ({
    at: `item ${index}`,
    calls: isCall(item)
      ? [{ id: textIn(item, "call_id"), name: textIn(item, "name"), input: item.arguments }]
      : [],
    results: isResult(item) ? [textIn(item, "call_id")] : [],
  }));
}

/** Returns the item of an earlier response to which an item refers. */
function resolve(item: Fields, before: RequestInCase["before"]): Fields {
  if (item.type !== "item_reference") return item;
  return before.flatMap(({ reply }) => outputItems(reply)).find(({ id }) => id === item.id) ?? item;
}

function isCall({ type }: Fields): boolean {
  return type === "function_call";
}

function isResult({ type }: Fields): boolean {
  return type === "function_call_output";
}

const PAIRINGS = [
  ["one-result-for-each-call", findMissingResults],
  ["results-answer-calls", findUnaskedResults],
  ["call-ids-are-unique", findRepeatedIds],
] as const;

const PAIRING_RULES: readonly ContractRule[] = PAIRINGS.map(([name, find]) => ({
  name,
  api: API,
  check: (record) =>
    checkRequests(record, (request) => {
      const steps = readItems(request);
      const isRelevant = steps.some(({ calls, results }) => calls.length + results.length > 0);
      return isRelevant ? find(steps) : undefined;
    }),
}));

function readTools({ tools }: Fields): readonly OfferedTool[] {
  return objectsIn(tools).filter(({ type }) => type === "function")
    .map(({ name, parameters }) => ({ name, schema: parameters }));
}

/** Returns the reasoning items of a response that also contains calls. */
function reasoningBeforeCalls(items: readonly Fields[]): readonly Fields[] {
  return items.some(isCall) ? items.filter(({ type }) => type === "reasoning") : [];
}

function findLostReasoning({ body, before }: RequestInCase): readonly string[] | undefined {
  if (isKept(body)) return undefined;
  const last = before.findLast(({ reply }) => outputItems(reply).length > 0);
  const sent = objectsIn(body.input).map((item) => resolve(item, before));
  return relevant(
    reasoningBeforeCalls(outputItems(last?.reply)),
    ({ id, encrypted_content: content }) =>
      sent.some((item) =>
          item.type === "reasoning" &&
          // Without stored responses, the encrypted content identifies an item.
          (item.id === id || content !== undefined && item.encrypted_content === content)
        )
        ? undefined
        : `the reasoning item ${show(id, 40)} is not sent back`,
  );
}

/** The rules of the Responses API. */
export const RESPONSES_RULES: readonly ContractRule[] = [
  ...PAIRING_RULES,
  requestRule(
    "results-have-output",
    API,
    ({ input }) =>
      relevant(
        objectsIn(input).filter(isResult),
        ({ output }) =>
          typeof output === "string" || Array.isArray(output)
            ? undefined
            : `a function_call_output with the output ${show(output, 40)}`,
      ),
  ),
  requestRule(
    "calls-are-complete",
    API,
    ({ input }) =>
      relevant(
        objectsIn(input).filter(isCall),
        (item) =>
          typeof item.call_id === "string" && typeof item.name === "string" &&
            typeof item.arguments === "string"
            ? undefined
            : `the call ${show(item, 80)} lacks a text as call_id, name or arguments`,
      ),
  ),
  toolRule("tool-names", API, { read: readTools, check: (tools) => findBadNames(tools, NAME) }),
  toolRule("tool-schemas", API, {
    read: readTools,
    check: (tools) =>
      tools.filter(({ schema }) => schema !== undefined && schema !== null && !isObject(schema))
        .map(({ name, schema }) => `the parameters of ${show(name, 40)} are ${show(schema, 40)}`),
  }),
  {
    name: "reasoning-is-sent-back",
    api: API,
    check: (record) => checkRequests(record, findLostReasoning),
  },
];
