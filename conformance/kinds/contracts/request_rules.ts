/**
 * Builds rules that check each request of a case.
 *
 * @module
 */

import type { ProviderApi } from "../../kit/provider_turn.ts";
import type { ProviderExchange, ProviderRecord } from "../provider_exchange.ts";
import type { ContractRule, RuleFindings } from "./contract_rule.ts";
import {
  type ConversationStep,
  findLateResults,
  findMissingResults,
  findRepeatedIds,
  findRepeatedResults,
  findUnaskedResults,
} from "./conversation.ts";
import type { Fields } from "./fields.ts";

/**
 * Checks one request. Returns the violations, or `undefined` if the request contains nothing that
 * the rule is about.
 */
export type RequestCheck = (body: Fields) => readonly string[] | undefined;

/** Builds a rule that checks each request body. */
export function requestRule(name: string, api: ProviderApi, check: RequestCheck): ContractRule {
  return { name, api, check: (record) => checkRequests(record, ({ body }) => check(body)) };
}

/** A request of a case, and what preceded it. */
export interface RequestInCase {
  /** Body of the request. */
  readonly body: Fields;
  /** The earlier exchanges of the case. */
  readonly before: readonly ProviderExchange[];
}

/** Checks each request that has a JSON body. */
export function checkRequests(
  { exchanges }: ProviderRecord,
  check: (request: RequestInCase) => readonly string[] | undefined,
): RuleFindings {
  const found = exchanges.flatMap(({ request, index }, position) => {
    if (request.json === undefined) return [];
    const problems = check({ body: request.json, before: exchanges.slice(0, position) });
    return problems === undefined
      ? []
      : [problems.map((problem) => `request ${index + 1}: ${problem}`)];
  });
  return { isChecked: found.length > 0, violations: found.flat() };
}

/** Reads the conversation of a request. */
export type ConversationReader = (body: Fields) => readonly ConversationStep[];

/** Name of a rule about calls and results. */
export type PairingRule =
  | "one-result-for-each-call"
  | "no-second-result"
  | "results-directly-after-calls"
  | "results-answer-calls"
  | "call-ids-are-unique";

/** Finds the violations of a rule in a conversation. */
type ConversationCheck = (steps: readonly ConversationStep[]) => readonly string[];

const PAIRINGS: Readonly<Record<PairingRule, ConversationCheck>> = {
  "one-result-for-each-call": findMissingResults,
  "no-second-result": findRepeatedResults,
  "results-directly-after-calls": findLateResults,
  "results-answer-calls": findUnaskedResults,
  "call-ids-are-unique": findRepeatedIds,
};

/** Builds the named rules for the conversations of an API. */
export function pairingRules(
  api: ProviderApi,
  read: ConversationReader,
  names: readonly PairingRule[],
): readonly ContractRule[] {
  return names.map((name) =>
    requestRule(name, api, (body) => {
      const steps = read(body);
      const isRelevant = steps.some(({ calls, results }) => calls.length + results.length > 0);
      return isRelevant ? PAIRINGS[name](steps) : undefined;
    })
  );
}

/** A tool that a request offers to the model. */
export interface OfferedTool {
  /** Name of the tool, unvalidated. */
  readonly name: unknown;
  /** Schema of the input, unvalidated. */
  readonly schema: unknown;
}

/** Builds a rule about the offered tools. */
export function toolRule(
  name: string,
  api: ProviderApi,
  { read, check }: {
    readonly read: (body: Fields) => readonly OfferedTool[];
    readonly check: (tools: readonly OfferedTool[]) => readonly string[];
  },
): ContractRule {
  return requestRule(name, api, (body) => {
    const tools = read(body);
    return tools.length === 0 ? undefined : check(tools);
  });
}

/** Returns the names that do not match a pattern. */
export function findBadNames(
  tools: readonly OfferedTool[],
  pattern: RegExp,
): readonly string[] {
  return tools.filter(({ name }) => typeof name !== "string" || !pattern.test(name))
    .map(({ name }) => `the tool name ${JSON.stringify(name)}`);
}

/** Returns a list as a list of problems, or `undefined` if nothing was found to check. */
export function relevant<T>(
  found: readonly T[],
  problemOf: (each: T) => string | undefined,
): readonly string[] | undefined {
  if (found.length === 0) return undefined;
  return found.map(problemOf).filter((problem) => problem !== undefined);
}
