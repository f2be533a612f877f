/**
 * Tables of records for tests of the rules of one API.
 *
 * @module
 */

import type { JsonObject } from "../../kit/json.ts";
import type { ProviderApi, ProviderReply } from "../../kit/provider_turn.ts";
import type { ProviderRecord, ToolExecution } from "../provider_exchange.ts";
import type { RuleFindings } from "./contract_rule.ts";
import { CONTRACT_RULES, findContractRule } from "./contract_rules.ts";

/** A row of a table: a rule, a record of one API, and a part of the violation. */
export type Row = readonly [rule: string, record: ProviderRecord, part: string];

/** Parts of a record. */
export interface RecordParts {
  readonly requests: readonly JsonObject[];
  readonly replies?: readonly ProviderReply[];
  readonly executions?: readonly ToolExecution[];
}

/** Creates the record of a case. */
export function record(
  api: ProviderApi,
  { requests, replies = [], executions = [] }: RecordParts,
): ProviderRecord {
  return {
    api,
    exchanges: requests.map((json, index) => {
      const reply = replies[index];
      return {
        index,
        request: { method: "POST", path: "/", headers: {}, bodyText: "", json },
        ...(reply === undefined ? {} : { reply }),
      };
    }),
    executions,
  };
}

/** Checks a record with one rule. */
export function check(api: ProviderApi, name: string, of: ProviderRecord): RuleFindings {
  const rule = findContractRule(api, name);
  return rule?.check(of) ?? { isChecked: false, violations: [`there is no rule ${api}/${name}`] };
}

/**
 * Returns the problems of records that violate no rule: violations that the rules find, and rules
 * that are about none of the records.
 */
export function problemsOfValid(
  api: ProviderApi,
  good: readonly ProviderRecord[],
): readonly string[] {
  return rulesOf(api).flatMap((name) => {
    const findings = good.map((each) => check(api, name, each));
    return [
      ...findings.flatMap(({ violations }) => violations.map((each) => `${name}: ${each}`)),
      ...(findings.some(({ isChecked }) => isChecked) ? [] : [`no record is about ${name}`]),
    ];
  });
}

/**
 * Returns the problems of records with violations: those that their rule does not find, and rules
 * without a record.
 */
export function problemsOfViolations(api: ProviderApi, rows: readonly Row[]): readonly string[] {
  const names = rows.map(([name]) => name);
  return [
    ...rows.flatMap(([name, bad, part]) => {
      const { isChecked, violations } = check(api, name, bad);
      const isFound = isChecked && violations.some((violation) => violation.includes(part));
      return isFound ? [] : [`${name} does not find "${part}", but ${violations.join("; ")}`];
    }),
    ...rulesOf(api).filter((name) => !names.includes(name)).map((name) => `no row for ${name}`),
  ];
}

function rulesOf(api: ProviderApi): readonly string[] {
  return CONTRACT_RULES.filter((rule) => rule.api === api).map(({ name }) => name);
}
