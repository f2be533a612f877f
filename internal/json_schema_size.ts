/**
 * Limits of the size of a JSON Schema.
 *
 * @module
 */

/** Maximum number of levels of a schema, including objects and arrays that are no schemas. */
const MAX_DEPTH = 1000;

/** Maximum length of an identifier, in characters. */
const MAX_ID_LENGTH = 2048;

/** Maximum total length of the URIs of all subschemas, in characters. */
const MAX_URI_CHARS = 20_000_000;

/** A part of a schema. */
interface Part {
  readonly value: unknown;
  readonly depth: number;
  /** Length of the URI of the part, which is the URI of an identifier and a JSON Pointer. */
  readonly uriLength: number;
  /** Number of times that the part is visited when the references are resolved. */
  readonly visits: number;
}

/**
 * Throws if resolving the references of a schema could take long, or if a schema is nested too
 * deeply. `@cfworker/json-schema` stores the URI of each subschema, and visits a subschema once
 * more for each surrounding schema with an identifier, in each of the visits of that schema.
 *
 * @param schema The schema.
 * @param isIgnored Returns true if a keyword contains no schemas.
 * @throws {TypeError} If the schema is too large.
 */
export function assertSchemaSize(schema: object, isIgnored: (keyword: string) => boolean): void {
  let total = 0;
  const pending: Part[] = [{ value: schema, depth: 0, uriLength: 100, visits: 1 }];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const { depth, value } = part;
    if (typeof value !== "object" || value === null) continue;
    if (depth > MAX_DEPTH) throw tooLarge(`${MAX_DEPTH} levels`);
    const [uriLength, visits] = locate(part, value);
    total += uriLength * visits;
    if (total > MAX_URI_CHARS) throw tooLarge(`${MAX_URI_CHARS} characters in all URIs`);
    for (const [key, member] of Object.entries(value)) {
      if (isIgnored(key)) continue;
      // Characters of a pointer are percent-encoded.
      const length = uriLength + 1 + 3 * key.length;
      pending.push({ value: member, depth: depth + 1, uriLength: length, visits });
    }
  }
}

/** Returns the length of the URI of a part, and how often the part is visited. */
function locate({ depth, uriLength, visits }: Part, value: object): readonly [number, number] {
  let length = uriLength;
  let count = visits;
  for (const keyword of ["$id", "id"]) {
    const id: unknown = Object.hasOwn(value, keyword) ? Reflect.get(value, keyword) : undefined;
    if (typeof id !== "string") continue;
    if (id.length > MAX_ID_LENGTH) {
      throw tooLarge(`${MAX_ID_LENGTH} characters in an identifier`);
    }
    length += id.length;
    if (depth > 0) count *= 2;
  }
  return [length, count];
}

function tooLarge(limit: string): TypeError {
  return new TypeError(`JSON Schema is too large: maximum is ${limit}`);
}
