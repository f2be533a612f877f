/**
 * Converts the failures of a JSON Schema evaluation to issues that a model can act on.
 *
 * A failure of a keyword that contains schemas is not reported itself: the failures of these
 * schemas are. For `anyOf` and `oneOf`, only the alternative whose type and tag match the value
 * best is reported.
 *
 * @module
 */

import { excerpt } from "./escape_text.ts";
import type { SchemaIssue } from "./schema_types.ts";

/** A violated keyword. */
export interface Failure {
  /** Name of the JSON Schema keyword. */
  readonly keyword: string;
  /** Description of the violation, which can follow the path of the value. */
  readonly message: string;
  /** The failures of the schemas in the keyword. */
  readonly branches?: readonly Branch[];
}

/** The failures of one schema in a keyword. */
export interface Branch {
  /** Property name or index of the value that was validated; the same value if absent. */
  readonly key?: string | number;
  readonly failures: readonly Failure[];
}

/** A failure with the keyword that contains the schema that failed, and the path of the value. */
interface Located {
  readonly failure: Failure;
  readonly parent: string;
  readonly path: string;
  /** Number of levels below the value that has alternatives. */
  readonly depth: number;
}

/** Maximum number of issues to convert. */
const MAX_ISSUES = 16;

/**
 * Maximum length of a path and of a message. Property names and the values of an `enum` can be
 * long.
 */
const MAX_LENGTH = 1000;

/** Converts failures to issues. */
export function toIssues(failures: readonly Failure[]): SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  addIssues(issues, { failures }, { parent: "", path: "" });
  return issues;
}

/** Position of a branch: the keyword that contains its schema, and the path of the value. */
interface Position {
  readonly parent: string;
  readonly path: string;
}

function addIssues(issues: SchemaIssue[], branch: Branch, { parent, path }: Position): void {
  const below = pathOf(path, branch.key);
  for (const failure of branch.failures) {
    if (issues.length >= MAX_ISSUES) return;
    const { keyword, branches = [] } = failure;
    if (branches.length === 0) {
      issues.push(toIssue({ failure, parent, path: below, depth: 0 }));
    } else if (keyword === "anyOf" || keyword === "oneOf") {
      addAlternativeIssues(issues, failure, below);
    } else {
      for (const each of branches) addIssues(issues, each, { parent: keyword, path: below });
    }
  }
}

/**
 * Adds the issues of the alternative whose type and tag match the value best. If several
 * alternatives match equally well, adds a single issue for all alternatives.
 */
function addAlternativeIssues(
  issues: SchemaIssue[],
  { keyword, branches = [] }: Failure,
  path: string,
): void {
  const mismatches = branches.map((branch) =>
    [...located(branch, { failure: NONE, parent: keyword, path, depth: 0 })].filter(isMismatch)
  );
  const fewest = Math.min(...mismatches.map(({ length }) => length));
  const best = branches.filter((_, index) => mismatches[index]?.length === fewest);
  if (best.length === 1 && best[0] !== undefined) {
    return addIssues(issues, best[0], { parent: keyword, path });
  }
  const reasons = mismatches.flatMap(([mismatch]) => mismatch ? [toIssue(mismatch)] : []);
  const messages = new Set(reasons.map(({ message }) => message));
  const common = reasons[0]?.path;
  const isCommon = reasons.length > 0 && reasons.length === branches.length &&
    reasons.every((reason) => reason.path === common);
  issues.push(
    isCommon ? { path: common ?? path, message: [...messages].join(", or ") } : {
      path: excerpt(path, MAX_LENGTH),
      message: `must match one of ${branches.length} schemas`,
    },
  );
}

const NONE: Failure = { keyword: "", message: "" };

/**
 * Iterates over the failures of a branch and of the schemas in it, at most one level below the
 * value.
 */
function* located(branch: Branch, position: Located): Generator<Located> {
  const path = pathOf(position.path, branch.key);
  const depth = position.depth + (branch.key === undefined ? 0 : 1);
  if (depth > 1) return;
  for (const failure of branch.failures) {
    yield { failure, parent: position.parent, path, depth };
    for (const each of failure.branches ?? []) {
      yield* located(each, { failure, parent: failure.keyword, path, depth });
    }
  }
}

/**
 * Returns true if a failure reports that the value has a different type or tag than an alternative
 * requires.
 */
function isMismatch({ failure: { keyword }, depth }: Located): boolean {
  if (keyword === "type") return depth === 0;
  return (keyword === "const" || keyword === "enum") && depth <= 1;
}

function toIssue({ failure: { keyword, message }, parent, path }: Located): SchemaIssue {
  const isUnknown = keyword === "false" && parent.endsWith("Properties");
  return {
    path: excerpt(path, MAX_LENGTH),
    message: excerpt(isUnknown ? "is not a known property" : message, MAX_LENGTH),
  };
}

/** Appends a property name or an index to a JSON Pointer. */
function pathOf(path: string, key: string | number | undefined): string {
  if (key === undefined) return path;
  return `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
