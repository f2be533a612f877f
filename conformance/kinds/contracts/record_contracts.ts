/**
 * Applies the rules of a provider's contract to the record of a case.
 *
 * @module
 */

import type { InvariantLedger } from "../../kit/invariant_ledger.ts";
import type { ProviderRecord } from "../provider_exchange.ts";
import { CONTRACT_RULES } from "./contract_rules.ts";

/** Records what the rules of the API find, for the invariants named `API/RULE`. */
export function recordContracts(
  record: ProviderRecord,
  caseId: string,
  ledger: InvariantLedger,
): void {
  for (const { api, name, check } of CONTRACT_RULES) {
    if (api !== record.api) continue;
    const { isChecked, violations } = check(record);
    if (isChecked) ledger.record(`${api}/${name}`, { caseId, problems: violations });
  }
}
