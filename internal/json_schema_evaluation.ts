/**
 * Evaluation of a compiled JSON Schema with a limited number of steps.
 *
 * @module
 */

import {
  checkArray,
  checkContains,
  checkNumber,
  checkObject,
  checkString,
  checkUnique,
  hasType,
  type JsonObject,
  jsonTypeOf,
} from "./json_schema_assertions.ts";
import { countingKeys, isEqual, type Spend } from "./json_schema_equality.ts";
import type { Branch, Failure } from "./json_schema_issues.ts";
import type {
  ArrayNode,
  Choices,
  Condition,
  KeywordsNode,
  ObjectNode,
  SchemaNode,
  StringKeywords,
} from "./json_schema_node.ts";
import type { Pattern } from "./json_schema_pattern.ts";
import { fail, type Frame, type Scope, StepLimitError } from "./json_schema_scope.ts";

/** Options for {@linkcode evaluate}. */
export interface EvaluationOptions {
  /**
   * Maximum number of steps. A step is the evaluation of a keyword, or work inside a keyword that
   * takes about as long.
   */
  readonly maxSteps: number;
  readonly maxPatternLength: number;
  /** Whether the evaluation continues after the first invalid property or item. */
  readonly findsAll: boolean;
  /** Whether the schema contains `unevaluatedProperties` or `unevaluatedItems`. */
  readonly tracksEvaluated: boolean;
}

/** Result of {@linkcode evaluate}: the failures, or the schema at which the steps ran out. */
export type Evaluated = { readonly failures: readonly Failure[] } | { readonly exceededAt: string };

/**
 * Validates a value.
 *
 * @throws {RangeError} If the value is nested too deeply for the call stack.
 * @throws {TypeError} If the value has no JSON type.
 */
export function evaluate(node: SchemaNode, value: unknown, options: EvaluationOptions): Evaluated {
  try {
    return { failures: new Evaluation(options).run(node, value) };
  } catch (error) {
    if (error instanceof StepLimitError) return { exceededAt: error.location };
    throw error;
  }
}

const NO_FAILURES: readonly Failure[] = [];
const NEVER_VALID: readonly Failure[] = [{ keyword: "false", message: "is not allowed" }];

/** The evaluation of one value. */
class Evaluation {
  readonly #options: EvaluationOptions;
  #stepsLeft: number;
  /** The schema whose keywords are being evaluated. */
  #current: KeywordsNode | undefined;
  /** Counts steps inside a keyword. */
  readonly #spendInKeyword: Spend = (steps) => this.#spend(steps, this.#current);
  readonly #keysOf = countingKeys(this.#spendInKeyword);

  constructor(options: EvaluationOptions) {
    this.#options = options;
    this.#stepsLeft = options.maxSteps;
  }

  run(node: SchemaNode, value: unknown): readonly Failure[] {
    return this.#evaluate(node, value, this.#newScope(undefined));
  }

  #spend(steps: number, node: KeywordsNode | undefined): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new StepLimitError(node?.location ?? "/");
  }

  #evaluate(node: SchemaNode, value: unknown, scope: Scope): readonly Failure[] {
    if (node === true) return NO_FAILURES;
    if (node === false) return NEVER_VALID;
    this.#spend(node.cost, node);
    this.#current = node;
    const failures: Failure[] = [];
    const anchor = scope.anchor ?? node.anchor;
    const { evaluated } = scope;
    const spend = this.#spendInKeyword;
    const keysOf = this.#keysOf;
    const frame: Frame = { node, value, failures, anchor, evaluated, spend, keysOf };
    const { types } = node;
    const jsonType = jsonTypeOf(value);
    this.#references(frame);
    if (types !== undefined && !hasType(types, jsonType, value)) {
      failures.push({ keyword: "type", message: `must be ${types.join(" or ")}, got ${jsonType}` });
    }
    if (node.constant !== undefined) this.#choices(frame, "const", node.constant);
    if (node.choices !== undefined) this.#choices(frame, "enum", node.choices);
    if (node.hasCombinations) this.#combinations(frame);
    switch (jsonType) {
      case "object":
        // The cast is safe because the JSON type of the value is "object".
        if (node.object !== undefined) this.#object(frame, node.object, value as JsonObject);
        break;
      case "array":
        // The cast is safe because the JSON type of the value is "array".
        if (node.array !== undefined) this.#array(frame, node.array, value as readonly unknown[]);
        break;
      case "number":
        if (node.number !== undefined) checkNumber(node.number, Number(value), frame);
        break;
      case "string":
        if (node.string !== undefined) this.#string(frame, node.string, String(value));
        break;
      case "boolean":
      case "null":
        break;
      default:
        jsonType satisfies never;
    }
    return failures;
  }

  #references(frame: Frame): void {
    const { node, anchor } = frame;
    const { reference, recursiveReference } = node;
    if (recursiveReference !== undefined) {
      // Without `$recursiveAnchor` in its target, `$recursiveRef` is the same as `$ref`.
      const isDynamic = node.anchor !== undefined && anchor !== undefined;
      this.#inPlace(frame, "$recursiveRef", isDynamic ? anchor : recursiveReference);
    }
    if (reference !== undefined) this.#inPlace(frame, "$ref", reference);
  }

  #choices({ value, failures, spend, keysOf }: Frame, keyword: string, choices: Choices): void {
    const { primitives, composites, message } = choices;
    const isOne = typeof value === "object" && value !== null
      ? composites.some((choice) => isEqual(value, choice, { spend, keysOf }))
      : primitives.has(value);
    if (!isOne) failures.push({ keyword, message });
  }

  #combinations(frame: Frame): void {
    const { node, value, anchor, failures } = frame;
    const { not, anyOf, allOf, oneOf, condition } = node;
    if (not !== undefined && this.#evaluate(not, value, this.#newScope(anchor)).length === 0) {
      failures.push({ keyword: "not", message: 'matched "not" schema' });
    }
    if (anyOf !== undefined) {
      const branches = this.#alternatives(frame, anyOf);
      if (branches.length === anyOf.length) fail(frame, "anyOf", branches);
    }
    if (allOf !== undefined) {
      const branches = this.#alternatives(frame, allOf);
      if (branches.length > 0) fail(frame, "allOf", branches);
    }
    if (oneOf !== undefined) {
      const branches = this.#alternatives(frame, oneOf);
      const matches = oneOf.length - branches.length;
      if (matches === 0) fail(frame, "oneOf", branches);
      if (matches > 1) {
        const message = `must match exactly one schema, matches ${matches}`;
        failures.push({ keyword: "oneOf", message });
      }
    }
    if (condition !== undefined) this.#condition(frame, condition);
  }

  /** Returns the failures of each schema that the value does not match. */
  #alternatives(
    { node, value, anchor, evaluated }: Frame,
    nodes: readonly SchemaNode[],
  ): readonly Branch[] {
    const branches: Branch[] = [];
    for (const each of nodes) {
      const scope = this.#newScope(anchor);
      const failures = this.#evaluate(each, value, scope);
      if (failures.length > 0) branches.push({ failures });
      else this.#merge(node, evaluated, scope.evaluated);
    }
    return branches;
  }

  /** Evaluates a schema for the same value. The schema sees only what it has evaluated itself. */
  #inPlace(frame: Frame, keyword: string, node: SchemaNode): void {
    const scope = this.#newScope(frame.anchor);
    const causes = this.#evaluate(node, frame.value, scope);
    if (causes.length === 0) this.#merge(frame.node, frame.evaluated, scope.evaluated);
    this.#add(frame, keyword, causes);
  }

  #condition(frame: Frame, { test, then, otherwise }: Condition): void {
    const { node, value, anchor, evaluated } = frame;
    const scope = this.#newScope(anchor);
    const isMet = this.#evaluate(test, value, scope).length === 0;
    if (isMet) this.#merge(node, evaluated, scope.evaluated);
    const next = isMet ? then : otherwise;
    if (next !== undefined) this.#inPlace(frame, "if", next);
  }

  #string({ node, failures, spend }: Frame, keywords: StringKeywords, value: string): void {
    const { maxPatternLength } = this.#options;
    this.#spend(value.length >> 6, node);
    if (keywords.format !== undefined) this.#spend(value.length >> 4, node);
    checkString(keywords, value, { failures, maxPatternLength, spend });
  }

  #object(frame: Frame, keywords: ObjectNode, value: JsonObject): void {
    const { node, anchor } = frame;
    const { propertyNames, dependentSchemas, dependencies } = keywords;
    checkObject(keywords, value, frame);
    if (propertyNames !== undefined) {
      for (const key of frame.keysOf(value)) {
        this.#spend(1, node);
        const causes = this.#evaluate(propertyNames, key, this.#newScope(anchor));
        this.#add(frame, "propertyNames", causes, key);
      }
    }
    for (const [key, each] of dependentSchemas) {
      this.#spend(1, node);
      if (!Object.hasOwn(value, key)) continue;
      this.#inPlace(frame, "dependentSchemas", each);
    }
    for (const [key, each] of dependencies) {
      this.#spend(1, node);
      if (!Object.hasOwn(value, key)) continue;
      const causes = this.#evaluate(each, value, this.#newScope(anchor));
      this.#add(frame, "dependencies", causes);
    }
    this.#properties(frame, keywords, value);
  }

  #properties(frame: Frame, keywords: ObjectNode, value: JsonObject): void {
    const { properties, names, patternProperties, additionalProperties } = keywords;
    for (const [key, node] of properties) {
      if (!Object.hasOwn(value, key)) continue;
      if (!this.#member(frame, "properties", { key, node, value: value[key] })) return;
    }
    if (patternProperties.length > 0) {
      for (const key of frame.keysOf(value)) {
        for (const { pattern, node } of patternProperties) {
          if (!this.#matches(frame, pattern, key)) continue;
          const member = { key, node, value: value[key] };
          if (!this.#member(frame, "patternProperties", member)) return;
        }
      }
    }
    if (additionalProperties !== undefined) {
      const isKnown = (key: string) =>
        names.has(key) ||
        patternProperties.some(({ pattern }) => this.#matches(frame, pattern, key));
      this.#others(frame, "additionalProperties", { value, node: additionalProperties, isKnown });
    } else if (keywords.unevaluatedProperties !== undefined) {
      const node = keywords.unevaluatedProperties;
      const isEvaluated = (key: string) => frame.evaluated?.has(key) === true;
      this.#others(frame, "unevaluatedProperties", { value, node, isKnown: isEvaluated });
    }
  }

  /** Validates the properties that other keywords have not validated. */
  #others(
    frame: Frame,
    keyword: string,
    { value, node, isKnown }: {
      readonly value: JsonObject;
      readonly node: SchemaNode;
      readonly isKnown: (key: string) => boolean;
    },
  ): void {
    for (const key of frame.keysOf(value)) {
      this.#spend(1, frame.node);
      if (isKnown(key)) continue;
      if (!this.#member(frame, keyword, { key, node, value: value[key] })) return;
    }
  }

  #matches({ node }: Frame, pattern: Pattern, name: string): boolean {
    this.#spend(1 + pattern.cost(name.length), node);
    return pattern.expression.test(name);
  }

  /** Validates one property. Returns true if the evaluation continues with the next property. */
  #member(
    frame: Frame,
    keyword: string,
    { key, node, value }: {
      readonly key: string;
      readonly node: SchemaNode;
      readonly value: unknown;
    },
  ): boolean {
    const causes = this.#evaluate(node, value, this.#memberScope(frame));
    if (causes.length === 0) frame.evaluated?.add(key);
    this.#add(frame, keyword, causes, key);
    return causes.length === 0 || this.#options.findsAll;
  }

  #array(frame: Frame, keywords: ArrayNode, value: readonly unknown[]): void {
    const { node } = frame;
    checkArray(keywords, value, frame.failures);
    const isValid = this.#items(frame, keywords, value);
    if (isValid && keywords.isUnique) checkUnique(value, frame);
    if (keywords.contains !== undefined) this.#contains(frame, keywords, value);
    if (isValid && keywords.unevaluatedItems !== undefined) {
      for (const [index, item] of value.entries()) {
        this.#spend(1, node);
        if (frame.evaluated?.has(index)) continue;
        const member = { index, node: keywords.unevaluatedItems, item };
        if (!this.#item(frame, "unevaluatedItems", member)) break;
      }
    }
  }

  /** Returns true if the items are valid, or if all invalid items have been found. */
  #items(frame: Frame, { prefixItems, items }: ArrayNode, value: readonly unknown[]): boolean {
    for (const [index, node] of prefixItems.entries()) {
      if (index >= value.length) return true;
      const member = { index, node, item: value[index] };
      if (!this.#item(frame, "prefixItems", member)) return false;
    }
    if (items === undefined) return true;
    for (let index = prefixItems.length; index < value.length; index++) {
      this.#spend(1, frame.node);
      const member = { index, node: items, item: value[index] };
      if (!this.#item(frame, "items", member)) return false;
    }
    return true;
  }

  /** Validates one item. Returns true if the evaluation continues with the next item. */
  #item(
    frame: Frame,
    keyword: string,
    { index, node, item }: {
      readonly index: number;
      readonly node: SchemaNode;
      readonly item: unknown;
    },
  ): boolean {
    const causes = this.#evaluate(node, item, this.#memberScope(frame));
    frame.evaluated?.add(index);
    this.#add(frame, keyword, causes, index);
    return causes.length === 0 || this.#options.findsAll;
  }

  #contains(frame: Frame, keywords: ArrayNode, value: readonly unknown[]): void {
    const { node, failures } = frame;
    const { contains = true } = keywords;
    let count = 0;
    for (const [index, item] of value.entries()) {
      this.#spend(1, node);
      if (this.#evaluate(contains, item, this.#memberScope(frame)).length > 0) continue;
      if (keywords.containsEvaluates) frame.evaluated?.add(index);
      count++;
    }
    checkContains(keywords, count, failures);
  }

  /** Adds the failures of a schema that a keyword contains, if there are any. */
  #add(frame: Frame, keyword: string, causes: readonly Failure[], key?: string | number): void {
    if (causes.length === 0) return;
    fail(frame, keyword, [key === undefined ? { failures: causes } : { key, failures: causes }]);
  }

  #newScope(anchor: KeywordsNode | undefined): Scope {
    return {
      anchor,
      evaluated: this.#options.tracksEvaluated ? new Set() : undefined,
    };
  }

  /** Returns the scope for a property or an item. */
  #memberScope(frame: Frame): Scope {
    return this.#options.tracksEvaluated ? this.#newScope(frame.anchor) : frame;
  }

  #merge(node: KeywordsNode, target: Scope["evaluated"], source: Scope["evaluated"]): void {
    if (target === undefined || source === undefined) return;
    this.#spend(source.size, node);
    for (const key of source) target.add(key);
  }
}
