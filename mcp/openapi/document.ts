/**
 * Reads the operations of an OpenAPI document.
 *
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html OpenAPI Specification 3.1}
 * @module
 */

import { assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { isRecord, type UnknownRecord } from "@parley/internal/json";
import { UnsupportedOperation } from "./failures.ts";
import type { OpenApiOperation } from "./options.ts";
import { resolve } from "./references.ts";

/** An operation with the objects of the document that describe it. */
export interface DocumentOperation {
  readonly operation: OpenApiOperation;
  /** The Operation Object. */
  readonly raw: UnknownRecord;
  /** The Path Item Object. */
  readonly item: UnknownRecord;
  /** Reason why the operation cannot be read. */
  readonly problem?: string;
}

/** A path whose operations cannot be read. */
export interface UnreadablePath {
  readonly path: string;
  readonly reason: string;
}

/** The parts of a document that tools are created from. */
export interface OpenApiDocument {
  readonly root: UnknownRecord;
  /** Whether the version is 3.0, whose schemas differ from JSON Schema. */
  readonly isVersion30: boolean;
  readonly operations: readonly DocumentOperation[];
  readonly unreadable: readonly UnreadablePath[];
  /** Locations and lower-case names of API keys, such as `query api_key`. */
  readonly credentials: ReadonlySet<string>;
}

/** Members of a Path Item Object that are operations. `query` is new in version 3.2. */
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/**
 * Reads a document.
 *
 * @throws {TypeError} If the value is not an OpenAPI document of version 3.0, 3.1 or 3.2.
 */
export function readDocument(document: unknown): OpenApiDocument {
  if (typeof document === "string") {
    const remedy = "parse the text with JSON.parse() or a YAML parser";
    throw new TypeError(`"document" must be a parsed OpenAPI document, got a string; ${remedy}`);
  }
  assertRecord("document", document);
  const version = readVersion(document);
  const operations: DocumentOperation[] = [];
  const unreadable: UnreadablePath[] = [];
  const read = (path: string, reference: unknown, use: (value: UnknownRecord) => void): void => {
    try {
      const value = resolve(document, reference);
      if (isRecord(value)) use(value);
    } catch (error) {
      if (!(error instanceof UnsupportedOperation)) throw error;
      unreadable.push({ path, reason: error.message });
    }
  };
  read("paths", document.paths, (paths) => {
    for (const [path, item] of Object.entries(paths)) {
      read(path, item, (value) => operations.push(...operationsOf(document, path, value)));
    }
  });
  return {
    root: document,
    isVersion30: version.startsWith("3.0"),
    operations,
    unreadable,
    credentials: credentialsOf(document),
  };
}

/** Returns the version. A YAML parser returns a number for a version that is not quoted. */
function readVersion({ openapi, swagger }: UnknownRecord): string {
  const version = typeof openapi === "number" ? String(openapi) : openapi;
  if (typeof version === "string" && /^3\.[0-2](?:\.|$)/.test(version)) return version;
  if (openapi === undefined && swagger !== undefined) {
    const got = `Swagger ${formatValue(swagger)}`;
    throw new TypeError(
      `"document" must be an OpenAPI document of version 3.0, 3.1 or 3.2, got ${got}; convert it to OpenAPI 3`,
    );
  }
  rejectArgument("document.openapi", "version 3.0, 3.1 or 3.2", openapi);
}

function operationsOf(
  root: UnknownRecord,
  path: string,
  item: UnknownRecord,
): readonly DocumentOperation[] {
  const { additionalOperations } = item;
  const additional = Object.entries(isRecord(additionalOperations) ? additionalOperations : {})
    .filter(([method]) => !METHODS.includes(method.toLowerCase()));
  const named = METHODS.map((method) => [method.toUpperCase(), item[method]] as const);
  return [...named, ...additional].flatMap(([method, reference]) => {
    if (!isRecord(reference)) return [];
    try {
      const raw = resolve(root, reference);
      return isRecord(raw) ? [{ operation: describe(method, path, raw), raw, item }] : [];
    } catch (error) {
      if (!(error instanceof UnsupportedOperation)) throw error;
      const operation = describe(method, path, {});
      return [{ operation, raw: {}, item, problem: error.message }];
    }
  });
}

function describe(
  method: string,
  path: string,
  { operationId, summary, tags, deprecated }: UnknownRecord,
): OpenApiOperation {
  return {
    method,
    path,
    ...(typeof operationId === "string" && operationId !== "" && { operationId }),
    ...(typeof summary === "string" && summary !== "" && { summary }),
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
    deprecated: deprecated === true,
  };
}

function credentialsOf(root: UnknownRecord): ReadonlySet<string> {
  const { components } = root;
  const schemes = isRecord(components) && isRecord(components.securitySchemes)
    ? Object.values(components.securitySchemes)
    : [];
  return new Set(schemes.flatMap((reference) => {
    const scheme = resolveScheme(root, reference);
    if (!isRecord(scheme) || scheme.type !== "apiKey") return [];
    return [credentialKey(String(scheme.in), String(scheme.name))];
  }));
}

/** Returns a security scheme, or `undefined` if it is in another document. */
function resolveScheme(root: UnknownRecord, reference: unknown): unknown {
  try {
    return resolve(root, reference);
  } catch (error) {
    if (!(error instanceof UnsupportedOperation)) throw error;
    return undefined;
  }
}

/**
 * Returns the text under which {@linkcode OpenApiDocument.credentials} contains an API key. Some
 * servers ignore the case of query parameters.
 */
export function credentialKey(location: string, name: string): string {
  return `${location} ${name.toLowerCase()}`;
}
