/**
 * All rules of the contracts of model providers.
 *
 * @module
 */

import type { ProviderApi } from "../../kit/provider_turn.ts";
import { ANTHROPIC_RULES } from "./anthropic.ts";
import type { ContractRule } from "./contract_rule.ts";
import { GEMINI_RULES } from "./gemini.ts";
import { CHAT_RULES } from "./openai_chat.ts";
import { RESPONSES_RULES } from "./openai_responses.ts";

/** The rules of all APIs. */
export const CONTRACT_RULES: readonly ContractRule[] = [
  ...CHAT_RULES,
  ...RESPONSES_RULES,
  ...ANTHROPIC_RULES,
  ...GEMINI_RULES,
];

/** Returns the rule with this name, or `undefined`. */
export function findContractRule(api: ProviderApi, name: string): ContractRule | undefined {
  return CONTRACT_RULES.find((rule) => rule.api === api && rule.name === name);
}
