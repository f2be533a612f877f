/**
 * The branches of a JSON Schema: the schemas that its combinations and references contain.
 *
 * The schema of a foreign server can contain references that multiply its branches or lead back to
 * themselves. Therefore, each branch is read once, and the number of branches is limited.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import { COMBINATIONS } from "./schema_keywords.ts";
import { findTarget } from "./schema_references.ts";

/** Maximum number of branches that are read. */
const MAX_BRANCHES = 1000;

/** A schema without combinations. */
export interface FoldedSchema {
  readonly schema: JsonObject;
  /** Whether the schema has more branches than the limit, so that properties can be missing. */
  readonly isCut: boolean;
}

/**
 * Returns the schema without combinations: with the properties of all branches. Properties that
 * every alternative requires are required.
 *
 * @param schema Schema without a reference at the top level.
 * @returns The schema, or `undefined` if the schema accepts no object.
 */
export function foldBranches(schema: JsonObject): FoldedSchema | undefined {
  const branches = new Branches(schema);
  if (!branches.acceptObject(schema)) return undefined;
  const rest = omit(schema, COMBINATIONS);
  if (branches.all.length === 1) return { schema: rest, isCut: false };
  const required = branches.requiredBy(schema);
  return {
    schema: {
      ...rest,
      properties: mergeProperties(branches.all),
      ...required.size === 0 ? {} : { required: [...required] },
    },
    isCut: branches.isCut,
  };
}

/** Schemas in the combinations and the reference of a branch. */
interface BranchParts {
  /** Schemas that apply together. */
  readonly all: readonly JsonValue[];
  /** Lists of schemas, of each of which at least one applies. */
  readonly alternatives: readonly (readonly JsonValue[])[];
  /** Schemas that apply to some inputs. */
  readonly conditional: readonly JsonValue[];
}

/** A schema and its branches, each once. */
class Branches {
  /** The schema and its branches, in their order. */
  readonly all: JsonObject[] = [];
  readonly #root: JsonObject;
  readonly #known = new Set<JsonValue>();
  readonly #required = new Map<JsonValue, ReadonlySet<string>>();
  readonly #accepting = new Map<JsonValue, boolean>();

  constructor(root: JsonObject) {
    this.#root = root;
    this.#visit(root);
  }

  /** Whether there are more branches than the limit. */
  get isCut(): boolean {
    return this.#known.size > MAX_BRANCHES;
  }

  /** Returns the names of the properties that a branch requires. */
  requiredBy(branch: JsonValue): ReadonlySet<string> {
    if (!isRecord(branch) || !this.#isRead(branch)) return new Set();
    const known = this.#required.get(branch);
    if (known !== undefined) return known;
    // A branch that leads back to itself requires nothing in addition.
    this.#required.set(branch, new Set());
    const { all, alternatives } = this.#partsOf(branch);
    const required = new Set([
      ...listOf(branch.required).filter((name) => typeof name === "string"),
      ...all.flatMap((each) => [...this.requiredBy(each)]),
      ...alternatives.flatMap((each) => this.#requiredByEach(each)),
    ]);
    this.#required.set(branch, required);
    return required;
  }

  /** Returns the names of the properties that all branches require. */
  #requiredByEach(branches: readonly JsonValue[]): readonly string[] {
    const [first, ...others] = branches.map((each) => this.requiredBy(each));
    return [...first ?? []].filter((name) => others.every((each) => each.has(name)));
  }

  /** Returns `false` if a branch accepts no object. */
  acceptObject(branch: JsonValue): boolean {
    if (!isRecord(branch)) return branch !== false;
    if (!this.#isRead(branch)) return true;
    const known = this.#accepting.get(branch);
    if (known !== undefined) return known;
    // A branch that leads back to itself excludes nothing in addition.
    this.#accepting.set(branch, true);
    const { all, alternatives } = this.#partsOf(branch);
    const isAccepting = acceptsObjectItself(branch) &&
      all.every((each) => this.acceptObject(each)) &&
      alternatives.every((each) => each.some((one) => this.acceptObject(one)));
    this.#accepting.set(branch, isAccepting);
    return isAccepting;
  }

  #isRead(branch: JsonObject): boolean {
    return this.#known.has(branch) && this.#known.size <= MAX_BRANCHES;
  }

  #visit(branch: JsonValue): void {
    if (!isRecord(branch) || this.#known.has(branch) || this.isCut) return;
    this.#known.add(branch);
    if (this.isCut) return;
    this.all.push(branch);
    const { all, alternatives, conditional } = this.#partsOf(branch);
    for (const part of [...all, ...alternatives.flat(), ...conditional]) this.#visit(part);
  }

  #partsOf(branch: JsonObject): BranchParts {
    const { $ref: reference, allOf, anyOf, oneOf } = branch;
    const target = reference === undefined ? undefined : findTarget(this.#root, reference);
    return {
      all: [...target === undefined ? [] : [target], ...listOf(allOf)],
      alternatives: [listOf(anyOf), listOf(oneOf)].filter(({ length }) => length > 0),
      conditional: [branch.then, branch.else].filter((each) => each !== undefined),
    };
  }
}

/** Returns `false` if the keywords of a schema, without its combinations, accept no object. */
function acceptsObjectItself({ type, const: only, enum: values, not }: JsonObject): boolean {
  if (type !== undefined && type !== "object") {
    if (!Array.isArray(type) || !type.includes("object")) return false;
  }
  // Some programs write `null` for a keyword without a value.
  if (only !== undefined && only !== null && !isRecord(only)) return false;
  if (Array.isArray(values) && !values.some(isRecord)) return false;
  return not !== true && !(isRecord(not) && Object.keys(not).length === 0);
}

/** Merges the properties of schemas. A property with different schemas may have any of them. */
function mergeProperties(schemas: readonly JsonObject[]): JsonObject {
  const merged = new Map<string, Map<string, JsonValue>>();
  for (const { properties } of schemas) {
    for (const [name, schema] of Object.entries(isRecord(properties) ? properties : {})) {
      const choices = merged.get(name) ?? new Map<string, JsonValue>();
      choices.set(JSON.stringify(schema), schema);
      merged.set(name, choices);
    }
  }
  return Object.fromEntries(
    [...merged].map(([name, choices]) => {
      const [first = {}, ...others] = choices.values();
      return [name, others.length === 0 ? first : { anyOf: [first, ...others] }];
    }),
  );
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function omit(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !keywords.includes(name)));
}
