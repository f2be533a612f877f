/**
 * Collects what the invariants of a run find, so that each invariant has one result.
 *
 * @module
 */

import { excerpt } from "./escape_text.ts";
import { pluralize } from "./pluralize.ts";
import { type CaseRun, Verdict } from "./verdict.ts";

/** The problems that a rule found in one message or exchange. */
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
/** Number of different problems of one case that are kept. */
const MAX_KEPT = 3;

/** The problems that a rule found during one case. */
interface Entry {
  checked: number;
  problems: number;
  readonly described: Set<string>;
}

/** The findings of all rules that one executor applies. */
export class InvariantLedger {
  /** Findings, keyed by rule and by case. */
  readonly #rules: Map<string, Map<string | undefined, Entry>> = new Map();

  /** Records that a rule was applied to a message or exchange. */
  record(rule: string, { caseId, problems }: Finding): void {
    const entry = this.#entry(rule, caseId);
    entry.checked++;
    entry.problems += problems.length;
    for (const problem of problems) {
      if (entry.described.size < MAX_KEPT) entry.described.add(excerpt(problem, MAX_CHARACTERS));
    }
  }

  /**
   * Returns the result of an invariant: a failure with the first problems, their number and the
   * cases that provoked them, a pass if at least one message was checked, or `n/a`.
   *
   * @param rule Name of the rule.
   * @param except Ids of cases whose messages are not judged.
   */
  settle(rule: string, except: readonly string[] = []): CaseRun {
    const found = [...this.#rules.get(rule) ?? []]
      .filter(([id]) => id === undefined || !except.includes(id));
    const checked = sum(found.map(([, each]) => each.checked));
    const problems = sum(found.map(([, each]) => each.problems));
    if (checked === 0) {
      return { verdict: Verdict.NotApplicable, note: "no message to which the rule applies" };
    }
    if (problems === 0) return { verdict: Verdict.Pass };
    const faulty = found.filter(([, each]) => each.problems > 0);
    const described = new Set(faulty.flatMap(([, each]) => [...each.described]));
    const causes = faulty.flatMap(([id]) => id ?? []).slice(0, MAX_CAUSES);
    const provoked = causes.length === 0 ? "" : `, provoked by ${causes.join(", ")}`;
    return {
      verdict: Verdict.Fail,
      expected: `no violation in ${pluralize(checked, "message")}`,
      got: [...described].slice(0, MAX_DESCRIBED).join("; "),
      note: `${pluralize(problems, "violation")}${provoked}`,
      ...(causes.length === 0 ? {} : { provokedBy: causes }),
    };
  }

  #entry(rule: string, caseId: string | undefined): Entry {
    const cases = this.#rules.get(rule) ?? new Map<string | undefined, Entry>();
    this.#rules.set(rule, cases);
    const known = cases.get(caseId);
    if (known !== undefined) return known;
    const entry: Entry = { checked: 0, problems: 0, described: new Set() };
    cases.set(caseId, entry);
    return entry;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
