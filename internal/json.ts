/**
 * Guards for parsed JSON and for objects whose members are not validated.
 *
 * @module
 */

/** An object whose members are not validated. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Returns `true` if a value is an object that is neither `null` nor an array. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns the value as a record so that its members can be read. Returns an empty record for `null`
 * and `undefined`, and wraps other primitive values in an object.
 */
export function asRecord(value: unknown): UnknownRecord {
  return Object(value);
}

/**
 * Returns `true` if the prototype of an object is `null` or the `Object.prototype` of any realm.
 */
export function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  // An object of another realm, such as an iframe or a `node:vm` context, has another
  // `Object.prototype`.
  return Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(Object(prototype), "isPrototypeOf");
}

/**
 * Returns `true` if serializing and parsing a value does not change it. All numbers must be finite,
 * all objects must be plain, and arrays must not have holes. Each member declares its own type of
 * JSON values and narrows the value.
 *
 * @param maxDepth Maximum nesting depth. Cyclic values exceed every maximum depth.
 */
export function isPlainJson(value: unknown, maxDepth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  if (maxDepth <= 0) return false;
  if (Array.isArray(value)) {
    // `for...of` visits holes in the array as `undefined`, which is rejected; `every()` would skip
    // them.
    for (const item of value) if (!isPlainJson(item, maxDepth - 1)) return false;
  } else if (isPlainObject(value)) {
    for (const key in value) if (!isPlainJson(value[key], maxDepth - 1)) return false;
  } else return false;
  return true;
}

/** Returns a deep copy of JSON data, which the recipient may modify. */
export function copyJson<Value>(value: Value): Value;
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === "object") copy[key] = copyJson(member);
  }
  return copy;
}

/**
 * Converts the properties of an object type whose type includes `undefined` to optional properties
 * without `undefined`.
 */
export type Defined<Fields> =
  & { [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name] }
  & {
    [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<
      Fields[Name],
      undefined
    >;
  };

/**
 * Returns a copy of an object without the properties whose value is `undefined`. Use it to omit
 * members that have no value. Code that runs for each iteration, event or tool call of a run writes
 * `...x === undefined ? {} : { x }` instead, because `defined` creates two arrays and two objects.
 */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // The cast is safe: the filter removes all `undefined` values, which the compiler cannot infer.
  return Object.fromEntries(entries) as Defined<Fields>;
}
