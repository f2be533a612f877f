/**
 * State of the evaluation of one JSON Schema for one value.
 *
 * @module
 */

import type { Counting } from "./json_schema_equality.ts";
import type { Branch, Failure } from "./json_schema_issues.ts";
import type { KeywordsNode } from "./json_schema_node.ts";

/** What a schema passes to a schema that it contains. */
export interface Scope {
  /** The outermost resource with `$recursiveAnchor`, in draft 2019-09. */
  readonly anchor: KeywordsNode | undefined;
  /**
   * Names of the properties, or indexes of the items, that the schema has evaluated. `undefined` if
   * no keyword needs them.
   */
  readonly evaluated: Set<string | number> | undefined;
}

/** The evaluation of one schema for one value. */
export interface Frame extends Scope, Counting {
  readonly node: KeywordsNode;
  readonly value: unknown;
  readonly failures: Failure[];
}

/** Adds a failure of a keyword that contains schemas. */
export function fail({ failures }: Frame, keyword: string, branches: readonly Branch[]): void {
  failures.push({ keyword, message: "does not match the schema", branches });
}

/** Ends an evaluation that takes too many steps. */
export class StepLimitError extends Error {
  readonly location: string;

  constructor(location: string) {
    super(`too many steps at ${location}`);
    this.location = location;
  }
}
