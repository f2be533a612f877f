/**
 * Collects what the invariants of a run find, so that each invariant has one result.
 *
 * @module
 */

import { excerpt } from "./escape_text.ts";
import { pluralize } from "./pluralize.ts";
import { type CaseRun, Verdict } from "./verdict.ts";

/** What a rule found in one message or exchange. */
export interface Finding {
  /** Id of the case during which the message was sent, or `undefined` before the first case. */
  readonly caseId: string | undefined;
  /** Violations of the rule. Empty if the message conforms to the rule. */
  readonly problems: readonly string[];
}

/** Number of problems that the result of an invariant describes. */
const MAX_DESCRIBED = 3;
/** Maximum length of the description of a problem, in characters. */
const MAX_CHARACTERS = 500;
/** Number of cases that a result names as the cause of the problems. */
const MAX_CAUSES = 20;

interface Entry {
  checked: number;
  problems: number;
  readonly described: string[];
  readonly causes: Set<string>;
}

/** The findings of all rules that one executor applies. */
export class InvariantLedger {
  readonly #entries: Map<string, Entry> = new Map();

  /** Records that a rule was applied to a message or exchange. */
  record(rule: string, { caseId, problems }: Finding): void {
    const entry = this.#entry(rule);
    entry.checked++;
    if (problems.length === 0) return;
    entry.problems += problems.length;
    if (caseId !== undefined && entry.causes.size < MAX_CAUSES) entry.causes.add(caseId);
    for (const problem of problems) {
      const text = excerpt(problem, MAX_CHARACTERS);
      const isNew = !entry.described.includes(text);
      if (isNew && entry.described.length < MAX_DESCRIBED) entry.described.push(text);
    }
  }

  /**
   * Returns the result of an invariant: a failure with the first problems, their number and the
   * cases that provoked them, a pass if at least one message was checked, or `n/a`.
   */
  settle(rule: string): CaseRun {
    const entry = this.#entries.get(rule);
    if (entry === undefined) {
      return { verdict: Verdict.NotApplicable, note: "no message to which the rule applies" };
    }
    const { checked, problems, described, causes } = entry;
    if (problems === 0) return { verdict: Verdict.Pass };
    const provoked = causes.size === 0 ? "" : `, provoked by ${[...causes].join(", ")}`;
    return {
      verdict: Verdict.Fail,
      expected: `no violation in ${pluralize(checked, "message")}`,
      got: described.join("; "),
      note: `${pluralize(problems, "violation")}${provoked}`,
      ...(causes.size === 0 ? {} : { provokedBy: [...causes] }),
    };
  }

  #entry(rule: string): Entry {
    const known = this.#entries.get(rule);
    if (known !== undefined) return known;
    const entry: Entry = { checked: 0, problems: 0, described: [], causes: new Set() };
    this.#entries.set(rule, entry);
    return entry;
  }
}
