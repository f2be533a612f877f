/**
 * JSON Schemas in the form in which `json_schema_evaluation.ts` evaluates them: references are
 * resolved, keywords are grouped by the type of value to which they apply, and regular expressions
 * are compiled.
 *
 * @module
 */

import { isRecord } from "./json.ts";
import { compilePattern, type Pattern } from "./json_schema_pattern.ts";

/** A JSON Schema that is an object, or a part of one. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** A compiled schema. */
export type SchemaNode = boolean | KeywordsNode;

/** A compiled schema that is an object. The keywords of a dialect without them are `undefined`. */
export interface KeywordsNode {
  /** Location of the schema in its document, as a JSON Pointer. */
  readonly location: string;
  /** Number of steps for an evaluation: one for the schema, and one for each keyword. */
  readonly cost: number;
  readonly reference: SchemaNode | undefined;
  /** The resource that contains the schema, if it has `$recursiveAnchor`. */
  readonly anchor: KeywordsNode | undefined;
  /** The resource that contains the schema, if the schema has `$recursiveRef`. */
  readonly recursiveReference: SchemaNode | undefined;
  readonly types: readonly unknown[] | undefined;
  readonly constant: Choices | undefined;
  readonly choices: Choices | undefined;
  readonly not: SchemaNode | undefined;
  readonly anyOf: readonly SchemaNode[] | undefined;
  readonly allOf: readonly SchemaNode[] | undefined;
  readonly oneOf: readonly SchemaNode[] | undefined;
  readonly condition: Condition | undefined;
  /** Whether the schema contains `not`, `anyOf`, `allOf`, `oneOf` or `if`. */
  readonly hasCombinations: boolean;
  readonly object: ObjectNode | undefined;
  readonly array: ArrayNode | undefined;
  readonly number: NumberKeywords | undefined;
  readonly string: StringKeywords | undefined;
}

/** Values of `const` or `enum`. */
export interface Choices {
  readonly primitives: ReadonlySet<unknown>;
  /** Objects and arrays. */
  readonly composites: readonly unknown[];
  readonly message: string;
}

/** The keywords `if`, `then` and `else`. */
export interface Condition {
  readonly test: SchemaNode;
  readonly then: SchemaNode | undefined;
  readonly otherwise: SchemaNode | undefined;
}

/** Keywords that apply to objects. */
export interface ObjectNode {
  readonly required: readonly string[];
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  readonly propertyNames: SchemaNode | undefined;
  /** Property names that are required if a property is present. */
  readonly dependentNames: readonly Named<readonly string[]>[];
  /** Schemas for the whole object if a property is present. */
  readonly dependentSchemas: readonly Named<SchemaNode>[];
  /** Schemas in `dependencies`, which does not mark properties as evaluated. */
  readonly dependencies: readonly Named<SchemaNode>[];
  readonly properties: readonly Named<SchemaNode>[];
  /** Names in `properties`. */
  readonly names: ReadonlySet<string>;
  readonly patternProperties: readonly PatternNode[];
  readonly additionalProperties: SchemaNode | undefined;
  readonly unevaluatedProperties: SchemaNode | undefined;
}

/** A property name and what a keyword defines for it. */
export type Named<Value> = readonly [name: string, value: Value];

/** A member of `patternProperties`. */
export interface PatternNode {
  readonly pattern: Pattern;
  readonly node: SchemaNode;
}

/** Keywords that apply to arrays. */
export interface ArrayNode {
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  /** Schemas for the first items. */
  readonly prefixItems: readonly SchemaNode[];
  /** Schema for all items after {@linkcode prefixItems}. */
  readonly items: SchemaNode | undefined;
  readonly contains: SchemaNode | undefined;
  /** Whether `contains` evaluates the items that match, for `unevaluatedItems`. */
  readonly containsEvaluates: boolean;
  readonly minContains: number | undefined;
  readonly maxContains: number | undefined;
  readonly unevaluatedItems: SchemaNode | undefined;
  readonly isUnique: boolean;
}

/** Keywords that apply to numbers. */
export interface NumberKeywords {
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: number | undefined;
  readonly exclusiveMaximum: number | undefined;
  readonly multipleOf: number | undefined;
}

/** Keywords that apply to strings. */
export interface StringKeywords {
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: Pattern | undefined;
  readonly format: Format | undefined;
}

/** A format with the function that checks it. */
export interface Format {
  readonly name: string;
  readonly matches: (text: string) => boolean;
}

/** The schemas to which the references of a schema refer. */
export interface SchemaTargets {
  /** Target of `$ref`. */
  readonly reference: unknown;
  /** The schema with an `$id`, or the whole schema, that contains the schema. */
  readonly resource: unknown;
  /** Whether the schema has `$recursiveRef`. */
  readonly isRecursive: boolean;
}

/** What a {@linkcode NodeCompiler} needs to know about a schema. */
export interface NodeSource {
  /** Returns the schemas to which the references of a schema refer. */
  readonly targetsOf: (schema: SchemaObject) => SchemaTargets;
  /** Returns the location of a schema in its document. */
  readonly locationOf: (schema: SchemaObject) => string;
  readonly formats: Readonly<Record<string, (text: string) => boolean>>;
  /** Whether a `$ref` replaces all other keywords of a schema, as in draft-07 and draft-04. */
  readonly referenceReplaces: boolean;
  /** Whether `contains` evaluates items, as since 2020-12. */
  readonly containsEvaluates: boolean;
  /** Whether `minContains` and `maxContains` have an effect, as since 2019-09. */
  readonly countsContained: boolean;
  /** Whether the exclusive bounds are flags, as in draft-04. */
  readonly exclusiveIsFlag: boolean;
}

/** Compiles one schema. The keywords of the schema must be valid. */
export class NodeCompiler {
  readonly #source: NodeSource;
  readonly #nodes = new Map<SchemaObject, KeywordsNode>();
  #tracksEvaluated = false;

  constructor(source: NodeSource) {
    this.#source = source;
  }

  /** Whether a compiled schema contains `unevaluatedProperties` or `unevaluatedItems`. */
  get tracksEvaluated(): boolean {
    return this.#tracksEvaluated;
  }

  /** Compiles a schema and all schemas that it contains or refers to. */
  compile(schema: unknown): SchemaNode {
    if (typeof schema === "boolean") return schema;
    // Only schemas are compiled, and a schema is a boolean or an object.
    const source = schema as SchemaObject;
    const known = this.#nodes.get(source);
    if (known !== undefined) return known;
    // A reference can lead back to the schema, so the node is stored before it is complete.
    const node = {} as KeywordsNode;
    this.#nodes.set(source, node);
    return Object.assign(node, this.#keywords(source));
  }

  #anchorOf(resource: unknown): KeywordsNode | undefined {
    if (!isRecord(resource) || resource.$recursiveAnchor !== true) return undefined;
    const node = this.compile(resource);
    return typeof node === "object" ? node : undefined;
  }

  #keywords(source: SchemaObject): KeywordsNode {
    const targets = this.#source.targetsOf(source);
    const isReplaced = this.#source.referenceReplaces && targets.reference !== undefined;
    const schema = isReplaced ? {} : source;
    return {
      location: this.#source.locationOf(source),
      cost: 1 + Object.keys(source).length,
      reference: this.#optional(targets.reference),
      anchor: this.#anchorOf(targets.resource),
      recursiveReference: targets.isRecursive ? this.#optional(targets.resource) : undefined,
      types: typesOf(schema),
      constant: schema.const === undefined
        ? undefined
        : choicesOf([schema.const], `does not match ${JSON.stringify(schema.const)}`),
      choices: Array.isArray(schema.enum)
        ? choicesOf(schema.enum, `does not match any of ${JSON.stringify(schema.enum)}`)
        : undefined,
      not: this.#optional(schema.not),
      anyOf: this.#list(schema.anyOf),
      allOf: this.#list(schema.allOf),
      oneOf: this.#list(schema.oneOf),
      condition: schema.if === undefined ? undefined : {
        test: this.compile(schema.if),
        then: this.#optional(schema.then),
        otherwise: this.#optional(schema.else),
      },
      hasCombinations: hasAny(schema, COMBINATIONS),
      object: this.#object(schema),
      array: this.#array(schema),
      number: this.#number(schema),
      string: this.#string(schema),
    };
  }

  #object(schema: SchemaObject): ObjectNode | undefined {
    if (!hasAny(schema, OBJECT_KEYWORDS)) return undefined;
    if (schema.unevaluatedProperties !== undefined) this.#tracksEvaluated = true;
    const dependencies = entriesOf(schema.dependencies);
    return {
      required: namesOf(schema.required),
      minProperties: numberOf(schema.minProperties),
      maxProperties: numberOf(schema.maxProperties),
      propertyNames: this.#optional(schema.propertyNames),
      dependentNames: [...entriesOf(schema.dependentRequired), ...dependencies]
        .filter(([, value]) => Array.isArray(value))
        .map(([name, value]) => [name, namesOf(value)]),
      dependentSchemas: this.#named(entriesOf(schema.dependentSchemas)),
      dependencies: this.#named(dependencies.filter(([, value]) => !Array.isArray(value))),
      properties: this.#named(entriesOf(schema.properties)),
      names: new Set(entriesOf(schema.properties).map(([name]) => name)),
      patternProperties: entriesOf(schema.patternProperties).map(([source, value]) => ({
        pattern: compilePattern(source),
        node: this.compile(value),
      })),
      additionalProperties: this.#optional(schema.additionalProperties),
      unevaluatedProperties: this.#optional(schema.unevaluatedProperties),
    };
  }

  #array(schema: SchemaObject): ArrayNode | undefined {
    if (!hasAny(schema, ARRAY_KEYWORDS)) return undefined;
    if (schema.unevaluatedItems !== undefined) this.#tracksEvaluated = true;
    const { items } = schema;
    const { containsEvaluates, countsContained } = this.#source;
    const first = this.#list(schema.prefixItems) ?? [];
    return {
      minItems: numberOf(schema.minItems),
      maxItems: numberOf(schema.maxItems),
      prefixItems: [...first, ...this.#list(items)?.slice(first.length) ?? []],
      items: this.#optional(Array.isArray(items) ? schema.additionalItems : items),
      contains: this.#optional(schema.contains),
      containsEvaluates,
      minContains: countsContained ? numberOf(schema.minContains) : undefined,
      maxContains: countsContained ? numberOf(schema.maxContains) : undefined,
      unevaluatedItems: this.#optional(schema.unevaluatedItems),
      isUnique: schema.uniqueItems === true,
    };
  }

  #number(schema: SchemaObject): NumberKeywords | undefined {
    if (!hasAny(schema, NUMBER_KEYWORDS)) return undefined;
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    const multipleOf = numberOf(schema.multipleOf);
    if (!this.#source.exclusiveIsFlag) {
      return {
        minimum: numberOf(minimum),
        maximum: numberOf(maximum),
        exclusiveMinimum: numberOf(exclusiveMinimum),
        exclusiveMaximum: numberOf(exclusiveMaximum),
        multipleOf,
      };
    }
    return {
      minimum: exclusiveMinimum === true ? undefined : numberOf(minimum),
      maximum: exclusiveMaximum === true ? undefined : numberOf(maximum),
      exclusiveMinimum: exclusiveMinimum === true ? numberOf(minimum) : undefined,
      exclusiveMaximum: exclusiveMaximum === true ? numberOf(maximum) : undefined,
      multipleOf,
    };
  }

  #string({ minLength, maxLength, pattern, format }: SchemaObject): StringKeywords | undefined {
    const { formats } = this.#source;
    const name = String(format);
    const matches = Object.hasOwn(formats, name) ? formats[name] : undefined;
    const isEmpty = minLength === undefined && maxLength === undefined && pattern === undefined &&
      matches === undefined;
    return isEmpty ? undefined : {
      minLength: numberOf(minLength),
      maxLength: numberOf(maxLength),
      pattern: pattern === undefined ? undefined : compilePattern(String(pattern)),
      format: matches === undefined ? undefined : { name, matches },
    };
  }

  #optional(schema: unknown): SchemaNode | undefined {
    return schema === undefined ? undefined : this.compile(schema);
  }

  #named(entries: readonly Named<unknown>[]): readonly Named<SchemaNode>[] {
    return entries.map(([name, schema]) => [name, this.compile(schema)]);
  }

  #list(schemas: unknown): readonly SchemaNode[] | undefined {
    return Array.isArray(schemas) ? schemas.map((schema) => this.compile(schema)) : undefined;
  }
}

const COMBINATIONS = ["not", "anyOf", "allOf", "oneOf", "if"];

const OBJECT_KEYWORDS = [
  "required",
  "minProperties",
  "maxProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
];

const ARRAY_KEYWORDS = [
  "minItems",
  "maxItems",
  "prefixItems",
  "items",
  "contains",
  "unevaluatedItems",
  "uniqueItems",
];

const NUMBER_KEYWORDS = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
];

function hasAny(schema: SchemaObject, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined);
}

function typesOf({ type }: SchemaObject): readonly unknown[] | undefined {
  if (type === undefined) return undefined;
  return Array.isArray(type) ? type : [type];
}

function choicesOf(values: readonly unknown[], message: string): Choices {
  const isComposite = (value: unknown) => typeof value === "object" && value !== null;
  return {
    primitives: new Set(values.filter((value) => !isComposite(value))),
    composites: values.filter(isComposite),
    message,
  };
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
