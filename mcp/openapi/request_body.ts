/**
 * Reads the request body of an operation.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#request-body-object Request Body Object}
 * @module
 */

import { quote } from "@parley/internal/format-value";
import { isRecord, type UnknownRecord } from "@parley/internal/json";
import type { DocumentOperation, OpenApiDocument } from "./document.ts";
import { UnsupportedOperation } from "./failures.ts";
import { isFormType, isJsonType, isTextType } from "./media_types.ts";
import type { Serialization, Style } from "./parameters.ts";
import { resolve } from "./references.ts";

/** Serialization of a member of a form. */
export type PartSerialization = Omit<Serialization, "name">;

/** A request body that is an input. */
export interface RequestBody {
  readonly kind: "json" | "form" | "text";
  /** Value of the `Content-Type` header. */
  readonly mediaType: string;
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description: unknown;
  /** Serialization of members of a form. Other members have the default serialization. */
  readonly parts: ReadonlyMap<string, PartSerialization>;
}

const KINDS = [["json", isJsonType], ["form", isFormType], ["text", isTextType]] as const;

const PART_STYLES: readonly Style[] = ["form", "spaceDelimited", "pipeDelimited", "deepObject"];

/**
 * Reads a request body. JSON is preferred, then forms, then text. Returns `undefined` if there is
 * none.
 *
 * @throws {UnsupportedOperation} If the body can only be sent in other formats, or the request
 * cannot have a body.
 */
export function readRequestBody(
  { root }: OpenApiDocument,
  { operation: { method }, raw }: DocumentOperation,
): RequestBody | undefined {
  const body = resolve(root, raw.requestBody);
  if (!isRecord(body) || !isRecord(body.content)) return undefined;
  const isRequired = body.required === true;
  // `fetch` rejects such a body, and OpenAPI 3.0 ignores it.
  if (method === "GET" || method === "HEAD") {
    if (!isRequired) return undefined;
    throw new UnsupportedOperation(`a ${method} request cannot have a body`);
  }
  const types = Object.entries(body.content);
  for (const [kind, matches] of KINDS) {
    const [type, reference] = types.find(([type]) => matches(type) && isHeaderText(type)) ?? [];
    if (type === undefined) continue;
    const media = resolve(root, reference);
    const { schema, encoding } = isRecord(media) ? media : {};
    return {
      kind,
      mediaType: type.includes("*") ? DEFAULT_TYPES[kind] : type,
      isRequired,
      schema: kind === "text" ? { type: "string" } : schema,
      description: body.description,
      parts: isRecord(encoding) ? readParts(encoding) : new Map(),
    };
  }
  const [type] = Object.keys(body.content);
  if (type === undefined) return undefined;
  throw new UnsupportedOperation(`the request body has the content type ${quote(type)}`);
}

/** Content types that are sent for a range of types, such as `application/*`. */
const DEFAULT_TYPES: Readonly<Record<RequestBody["kind"], string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  text: "text/plain",
};

function isHeaderText(type: string): boolean {
  return /^[\x20-\x7e]+$/.test(type);
}

/**
 * Reads the members of a form that the document serializes as query parameters. Without `style`,
 * `explode` and `allowReserved`, objects are sent as JSON.
 */
function readParts(encoding: UnknownRecord): ReadonlyMap<string, PartSerialization> {
  const parts = new Map<string, PartSerialization>();
  for (const [name, part] of Object.entries(encoding)) {
    if (!isRecord(part)) continue;
    const { style, explode, allowReserved } = part;
    if (style === undefined && explode === undefined && allowReserved === undefined) continue;
    const known = PART_STYLES.find((each) => each === (style ?? "form"));
    if (known === undefined) {
      throw new UnsupportedOperation(
        `the member ${quote(name)} has the style ${quote(`${style}`)}`,
      );
    }
    parts.set(name, {
      style: known,
      isExploded: typeof explode === "boolean" ? explode : known === "form",
      allowsReserved: false,
    });
  }
  return parts;
}
