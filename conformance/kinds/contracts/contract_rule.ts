/**
 * Rules of the contracts of model providers.
 *
 * @module
 */

import type { ProviderApi } from "../../kit/provider_turn.ts";
import type { ProviderRecord } from "../provider_exchange.ts";

/** Findings of a rule in the record of one case. */
export interface RuleFindings {
  /** Whether the record contains anything that the rule is about. */
  readonly isChecked: boolean;
  /** Violations, each with its place. */
  readonly violations: readonly string[];
}

/** A sentence of a provider's documentation that a record can violate. */
export interface ContractRule {
  /** Name of the rule, unique within its API. */
  readonly name: string;
  /** The API to which the rule applies. */
  readonly api: ProviderApi;
  /** Checks the record of one case. */
  readonly check: (record: ProviderRecord) => RuleFindings;
}

/** The record of a case in which nothing is relevant to a rule. */
export const NOT_CHECKED: RuleFindings = { isChecked: false, violations: [] };
