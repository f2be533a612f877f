/**
 * Reads the parameters of an operation.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#parameter-object Parameter Object}
 * @module
 */

import { quote } from "@parley/internal/format-value";
import { isRecord, type UnknownRecord } from "@parley/internal/json";
import { credentialKey, type DocumentOperation, type OpenApiDocument } from "./document.ts";
import { UnsupportedOperation } from "./failures.ts";
import { nameInput } from "./names.ts";
import { resolve } from "./references.ts";
import { isJsonType, isTextType } from "./media_types.ts";

/** Location of a parameter that is an input. */
export type Location = "path" | "query" | "header";

/** Serialization of a value. */
export type Style =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject";

/** Conversion of a value to text. */
export interface Serialization {
  /** Name in the request. */
  readonly name: string;
  readonly style: Style;
  readonly isExploded: boolean;
  /** Whether reserved characters are sent as they are, unless they separate parameters. */
  readonly allowsReserved: boolean;
}

/** A parameter that is an input of the tool. */
export interface Parameter extends Serialization {
  readonly in: Location;
  /** Name of the input. */
  readonly input: string;
  readonly isRequired: boolean;
  /** Whether the value is sent as JSON text. */
  readonly isJson: boolean;
  readonly schema: unknown;
  readonly description: unknown;
}

/** Styles of each location; the first is the default. */
const STYLES: Readonly<Record<Location, readonly Style[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
};

/** Order in which inputs get their names: a path parameter keeps its name. */
const LOCATIONS: readonly Location[] = ["path", "query", "header"];

/**
 * Headers that are never inputs: headers that OpenAPI excludes, credentials, headers that the
 * Fetch Standard forbids (`forbidden request-header`), and headers that replace the method, the
 * host or the path, with which a call could have the effect of another operation.
 */
const FORBIDDEN_HEADER =
  /^(?:accept|accept-charset|accept-encoding|access-control-.*|authorization|connection|content-(?:encoding|length|type)|cookie2?|date|dnt|expect|forwarded|host|keep-alive|origin|proxy-.*|referer|sec-.*|set-cookie2?|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*|x-http-method.*|x-method-override|x-(?:original|rewrite)-.*)$/i;

/**
 * Maximum number of parameters of an operation. Each operation of a path reads the parameters of
 * the path again, so a small document can contain many of them.
 */
const MAX_PARAMETERS = 500;

/** A token (RFC 9110, section 5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Reads the parameters that are inputs.
 *
 * @throws {UnsupportedOperation} If a parameter cannot be an input, but the request needs it.
 */
export function readParameters(
  document: OpenApiDocument,
  { raw, item }: DocumentOperation,
  { hasBody }: { readonly hasBody: boolean },
): readonly Parameter[] {
  // A parameter of the operation replaces one of the path item.
  const objects = new Map<string, UnknownRecord>();
  const lists = [item.parameters, raw.parameters].map((list) => Array.isArray(list) ? list : []);
  if (lists.reduce((sum, { length }) => sum + length, 0) > MAX_PARAMETERS) {
    throw new UnsupportedOperation(`the operation has more than ${MAX_PARAMETERS} parameters`);
  }
  for (const list of lists) {
    for (const reference of list) {
      const object = resolve(document.root, reference);
      if (!isRecord(object) || typeof object.name !== "string" || typeof object.in !== "string") {
        throw new UnsupportedOperation("a parameter has no name or no location");
      }
      const isHeader = object.in === "header";
      const key = isHeader ? credentialKey(object.in, object.name) : `${object.in} ${object.name}`;
      objects.set(key, object);
    }
  }
  const taken = new Set(hasBody ? ["body"] : []);
  const inputs = [...objects.values()].filter((object) => isInput(document, object));
  return LOCATIONS.flatMap((location) => inputs.filter((object) => object.in === location))
    .map((object) => {
      const parameter = readParameter(document, object, taken);
      taken.add(parameter.input);
      return parameter;
    });
}

/** @throws {UnsupportedOperation} If the request needs a parameter that cannot be an input. */
function isInput({ credentials }: OpenApiDocument, object: UnknownRecord): boolean {
  const { in: location, required } = object;
  const name = String(object.name);
  if (credentials.has(credentialKey(String(location), name))) return false;
  if (location === "cookie") {
    if (required !== true) return false;
    throw new UnsupportedOperation(`the cookie ${quote(name)} is required`);
  }
  if (location === "header") {
    if (FORBIDDEN_HEADER.test(name)) return false;
    if (!TOKEN.test(name)) throw new UnsupportedOperation(`${quote(name)} is not a header name`);
    return true;
  }
  if (location === "path" || location === "query") return true;
  throw new UnsupportedOperation(
    `the parameter ${quote(name)} has the location ${quote(String(location))}`,
  );
}

function readParameter(
  { root }: OpenApiDocument,
  object: UnknownRecord,
  taken: ReadonlySet<string>,
): Parameter {
  const { description, allowReserved } = object;
  const name = String(object.name);
  // The cast is safe: `readParameters` passes only objects with one of the locations.
  const location = object.in as Location;
  const { schema, isJson } = readContent(root, object, name);
  const style = readStyle(object, location, name);
  return {
    input: nameInput(name, location, taken),
    name,
    in: location,
    style,
    isExploded: typeof object.explode === "boolean" ? object.explode : style === "form",
    allowsReserved: location === "query" && allowReserved === true,
    isRequired: location === "path" || object.required === true,
    isJson,
    schema,
    description,
  };
}

function readStyle({ style }: UnknownRecord, location: Location, name: string): Style {
  const styles = STYLES[location];
  const known = style === undefined || style === null
    ? styles[0]
    : styles.find((each) => each === style);
  if (known !== undefined) return known;
  throw new UnsupportedOperation(
    `the parameter ${quote(name)} has the style ${quote(String(style))}`,
  );
}

/** Reads the schema, which is either a member of the parameter or of its only media type. */
function readContent(
  root: UnknownRecord,
  { content, schema }: UnknownRecord,
  name: string,
): Pick<Parameter, "schema" | "isJson"> {
  if (!isRecord(content)) return { schema, isJson: false };
  const [[type, reference] = ["", undefined]] = Object.entries(content);
  const isJson = isJsonType(type);
  if (!isJson && !isTextType(type)) {
    throw new UnsupportedOperation(
      `the parameter ${quote(name)} has the content type ${quote(type)}`,
    );
  }
  const media = resolve(root, reference);
  return { schema: isRecord(media) ? media.schema : undefined, isJson };
}
