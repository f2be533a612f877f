/**
 * Applies the rules for messages.
 *
 * @module
 */

import { readMessageVersion } from "../message_schemas/versions.ts";
import {
  findClientCapabilityProblems,
  findLogProblems,
  findServerCapabilityProblems,
} from "./capability_rules.ts";
import type { Dialogue, Seen } from "./dialogue.ts";
import { findErrorCodeProblems } from "./error_rules.ts";
import { ListRules } from "./list_rules.ts";
import { findOrderProblems } from "./request_order.ts";
import type { SchemaRules } from "./schema_rules.ts";
import { StructuredContentRule } from "./structured_content.ts";
import { SubscriptionRules } from "./subscription_rules.ts";
import { findIdProblems, findProgressProblems } from "./id_rules.ts";

/** Records what a rule found. */
export type RecordProblems = (rule: string, problems: readonly string[]) => void;

/** Checks the messages of one conversation. */
export class MessageRules {
  readonly #schemas: SchemaRules;
  readonly #lists: ListRules = new ListRules();
  readonly #structured: StructuredContentRule = new StructuredContentRule();
  readonly #subscriptions: SubscriptionRules = new SubscriptionRules();

  /** Creates the rules for a conversation without messages. */
  constructor(schemas: SchemaRules) {
    this.#schemas = schemas;
  }

  /** Checks a message of the subject against all rules for messages. */
  check(seen: Seen, dialogue: Dialogue, record: RecordProblems): void {
    record("ids", findIdProblems(seen, dialogue));
    const version = readMessageVersion(seen.version);
    if (version !== undefined) {
      record("message-schema", this.#schemas.findProblems(seen, dialogue, version));
    }
    if (seen.from === dialogue.client) return checkClient(seen, dialogue, record);
    if (seen.message.method === "notifications/progress") {
      record("progress", findProgressProblems(seen));
    }
    if (version === undefined) return;
    const problems = findServerCapabilityProblems(seen, dialogue);
    if (seen.kind !== "response") record("capabilities", problems);
    if (seen.message.method === "notifications/message") {
      record("logging", findLogProblems(seen, dialogue));
    }
    const rules: readonly (readonly [string, readonly string[] | undefined])[] = [
      ["subscriptions", this.#subscriptions.find(seen, dialogue)],
      ["structured-content", this.#structured.find(seen)],
      ["lists", this.#lists.find(seen)],
      ["error-codes", findErrorCodeProblems(seen)],
    ];
    for (const [rule, found] of rules) if (found !== undefined) record(rule, found);
    if (seen.asked?.method !== "tools/list") return;
    for (const found of this.#schemas.checkTools(seen, version)) record("tool-schemas", found);
  }
}

function checkClient(seen: Seen, dialogue: Dialogue, record: RecordProblems): void {
  record("request-order", findOrderProblems(seen, dialogue));
  if (seen.kind === "request") {
    record("capabilities", findClientCapabilityProblems(seen, dialogue));
  }
}
