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
  /** The outermost schema with `$recursiveAnchor`, in draft 2019-09. */
  readonly anchor: KeywordsNode | undefined;
  /** The evaluated properties and items of the value. `undefined` if no keyword needs them. */
  readonly evaluated: EvaluatedMembers | undefined;
}

/** The evaluation of one schema for one value. */
export interface Frame extends Scope, Counting {
  readonly node: KeywordsNode;
  readonly value: unknown;
  readonly failures: Failure[];
}

/** Names of the properties, or indexes of the items, that a schema has evaluated. */
export class EvaluatedMembers {
  readonly own: Set<string | number> = new Set<string | number>();
  readonly #parent: EvaluatedMembers | undefined;

  constructor(parent?: EvaluatedMembers) {
    this.#parent = parent;
  }

  has(key: string | number): boolean {
    return this.own.has(key) || this.#parent?.has(key) === true;
  }
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
