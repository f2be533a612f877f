/**
 * Rules of the Gemini API.
 *
 * @see https://ai.google.dev/gemini-api/docs/function-calling
 * @module
 */

import { isObject } from "../../kit/json.ts";
import { show } from "../../kit/match_value.ts";
import { geminiParts } from "./answer.ts";
import type { ContractRule } from "./contract_rule.ts";
import { type Fields, isSameValue, objectIn, objectsIn, textIn } from "./fields.ts";
import {
  checkRequests,
  findBadNames,
  type OfferedTool,
  relevant,
  type RequestInCase,
  requestRule,
  toolRule,
} from "./request_rules.ts";

const API = "gemini";
const NAME = /^[a-zA-Z0-9_.:-]{1,128}$/;
/** The API also accepts the role of older clients for function responses. */
const ROLES: readonly unknown[] = [undefined, "user", "model", "function"];

/** A content with function calls, and the content that follows it. */
interface CallTurn {
  readonly at: string;
  readonly calls: readonly Fields[];
  /** The function responses in the next content. */
  readonly responses: readonly Fields[];
  /** The function responses in all contents up to the next one without function responses. */
  readonly all: readonly Fields[];
}

function callTurns({ contents }: Fields): readonly CallTurn[] {
  const all = objectsIn(contents);
  return all.flatMap(({ parts }, index) => {
    const calls = callsIn(parts);
    const following = all.slice(index + 1).map((content) => responsesIn(content.parts));
    const end = following.findIndex((responses) => responses.length === 0);
    return calls.length === 0 ? [] : [{
      at: `contents[${index}]`,
      calls,
      responses: following[0] ?? [],
      all: following.slice(0, end < 0 ? following.length : end).flat(),
    }];
  });
}

function callsIn(parts: unknown): readonly Fields[] {
  return objectsIn(parts).filter((part) =>
    isObject(memberOf(part, "functionCall", "function_call"))
  )
    .map((part) => fieldsOf(part, "functionCall", "function_call"));
}

function responsesIn(parts: unknown): readonly Fields[] {
  return objectsIn(parts)
    .filter((part) => isObject(memberOf(part, "functionResponse", "function_response")))
    .map((part) => fieldsOf(part, "functionResponse", "function_response"));
}

/** Returns a member in either spelling, because the API accepts both. */
function memberOf(fields: Fields, camel: string, snake: string): unknown {
  return fields[camel] ?? fields[snake];
}

function fieldsOf(fields: Fields, camel: string, snake: string): Fields {
  return objectIn({ value: memberOf(fields, camel, snake) }, "value");
}

function responsesOf({ contents }: Fields): readonly Fields[] {
  return objectsIn(contents).flatMap(({ parts }) => responsesIn(parts));
}

function findUnasked({ contents }: Fields): readonly string[] | undefined {
  const all = objectsIn(contents);
  const places = all.flatMap(({ parts }, index) => responsesIn(parts).length > 0 ? [index] : []);
  return relevant(places, (index) => {
    // Responses in several contents are the subject of another rule.
    const isAsked = places.includes(index - 1) || callsIn(all[index - 1]?.parts).length > 0;
    return isAsked
      ? undefined
      : `contents[${index}] has function responses, but the content before it has no calls`;
  });
}

/** Returns the parts of the last response, and those of the content that sends it back. */
function sentBack(
  { body, before }: RequestInCase,
): readonly [readonly Fields[], readonly Fields[]] {
  const last = before.findLast(({ reply }) => geminiParts(reply).length > 0);
  const answer = geminiParts(last?.reply);
  const [call] = callsIn(answer);
  const all = objectsIn(body.contents);
  // The last content with calls continues the last response.
  const content = call === undefined
    ? undefined
    : all.findLast(({ parts }) => callsIn(parts).some((each) => each.name === call.name));
  return content === undefined ? [[], []] : [answer, objectsIn(content.parts)];
}

function signatureOf(part: Fields): unknown {
  return memberOf(part, "thoughtSignature", "thought_signature");
}

/** The content of a part, without its signature. */
function contentOf(part: Fields): Fields {
  const call = memberOf(part, "functionCall", "function_call");
  return isObject(call)
    ? { name: call.name, args: call.args ?? {} }
    : { text: textIn(part, "text") };
}

function findLostSignatures(request: RequestInCase): readonly string[] | undefined {
  const [answer, sent] = sentBack(request);
  return relevant(
    answer.filter((part) => signatureOf(part) !== undefined),
    (part) =>
      sent.some((each) =>
          signatureOf(each) === signatureOf(part) && isSameValue(contentOf(each), contentOf(part))
        )
        ? undefined
        : `the signature ${show(signatureOf(part), 40)} is not at the part ${
          show(contentOf(part), 60)
        }`,
  );
}

function findChangedParts(request: RequestInCase): readonly string[] | undefined {
  const [answer, sent] = sentBack(request);
  const text = sent.map((part) => textIn(part, "text")).join("");
  // Summaries of thoughts are not input of the model.
  return relevant(answer.filter(({ thought }) => thought !== true), (part) => {
    const isSent = sent.some((each) => isSameValue(contentOf(each), contentOf(part)));
    // Texts of a stream can be joined; signatures are the subject of another rule.
    const isInText = typeof part.text === "string" && text.includes(part.text);
    return isSent || isInText
      ? undefined
      : `the part ${show(contentOf(part), 60)} is not sent back`;
  });
}

function readTools({ tools }: Fields): readonly OfferedTool[] {
  return objectsIn(tools).flatMap((tool) =>
    objectsIn(memberOf(tool, "functionDeclarations", "function_declarations"))
  ).map(({ name, parameters, parametersJsonSchema, parameters_json_schema: snake }) => ({
    name,
    schema: parameters ?? parametersJsonSchema ?? snake,
  }));
}

/** The rules of the Gemini API. */
export const GEMINI_RULES: readonly ContractRule[] = [
  requestRule(
    "one-result-for-each-call",
    API,
    (body) =>
      relevant(
        callTurns(body),
        ({ at, calls, responses }) =>
          calls.length === responses.length
            ? undefined
            : `${calls.length} calls in ${at}, but ${responses.length} responses in the next content`,
      ),
  ),
  requestRule("results-answer-calls", API, findUnasked),
  requestRule("results-have-the-id-of-their-call", API, (body) =>
    relevant(
      callTurns(body).flatMap(({ calls, all: responses }) =>
        calls.filter(({ id }) => typeof id === "string").map(({ id }) => ({ id, responses }))
      ),
      ({ id, responses }) =>
        responses.some((response) => response.id === id)
          ? undefined
          : `no function response with the id ${show(id, 40)}`,
    )),
  requestRule(
    "results-have-the-name-of-their-call",
    API,
    (body) =>
      relevant(callTurns(body), ({ at, calls, responses }) => {
        const names = calls.map(({ name }) => name);
        const other = responses.find(({ name }) => !names.includes(name));
        return other === undefined
          ? undefined
          : `a function response with the name ${show(other.name, 40)} after ${at}`;
      }),
  ),
  requestRule(
    "results-are-objects",
    API,
    (body) =>
      relevant(
        responsesOf(body),
        ({ response }) =>
          isObject(response) ? undefined : `the function response ${show(response, 60)}`,
      ),
  ),
  requestRule(
    "input-is-an-object",
    API,
    (body) =>
      relevant(
        callTurns(body).flatMap(({ calls }) => calls),
        ({ args, name }) =>
          args === undefined || args === null || isObject(args)
            ? undefined
            : `the args of ${show(name, 40)} are ${show(args, 60)}`,
      ),
  ),
  requestRule(
    "roles",
    API,
    ({ contents }) =>
      relevant(
        objectsIn(contents),
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
    name: "signatures-are-sent-back",
    api: API,
    check: (record) => checkRequests(record, findLostSignatures),
  },
  {
    name: "the-whole-answer-is-sent-back",
    api: API,
    check: (record) => checkRequests(record, findChangedParts),
  },
];
