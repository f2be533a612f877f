/**
 * Selects the operations of a document that the program offers.
 *
 * @module
 */

import { formatValue, quote } from "@parley/internal/format-value";
import { findNearest } from "@parley/internal/options";
import { reportRejection } from "@parley/internal/report-rejection";
import type { DocumentOperation, OpenApiDocument } from "./document.ts";
import type { OpenApiOperation, OpenApiOptions } from "./options.ts";

/** Maximum number of operations with which a misspelled one is compared. */
const MAX_COMPARED = 5000;

/** Returns the method and the path of an operation, such as `GET /users/{id}`. */
export function keyOf({ method, path }: OpenApiOperation): string {
  return `${method} ${path}`;
}

/**
 * Returns the operations that are offered, in the order of the document.
 *
 * @throws {TypeError} If `operations` names an operation that the document does not contain, or an
 * operation id that several operations have.
 */
export function selectOperations(
  document: OpenApiDocument,
  selected: OpenApiOptions["operations"],
  report: (error: unknown) => void,
): readonly DocumentOperation[] {
  const { operations } = document;
  if (typeof selected !== "function") {
    const keys = new Set(selected.flatMap((name, index) => {
      return keyFor(document, name, `operations[${index}]`) ?? [];
    }));
    return operations.filter(({ operation }) => keys.has(keyOf(operation)));
  }
  return operations.filter(({ operation }) => {
    const isSelected: unknown = selected(operation);
    reportRejection(isSelected, report);
    return isSelected === true;
  });
}

/**
 * Returns the method and the path of the operation with a name. Returns `undefined` if the name
 * refers to a path whose operations cannot be read.
 *
 * @param name Operation id, or method and path.
 * @param at Option that contains the name.
 * @throws {TypeError} If there is no such operation, or there are several.
 */
export function keyFor(document: OpenApiDocument, name: string, at: string): string | undefined {
  const found = document.operations.filter(({ operation }) =>
    operation.operationId === name || keyOf(operation) === name
  );
  const keys = found.map(({ operation }) => keyOf(operation));
  if (keys.length === 1) return keys[0];
  if (keys.length > 1) {
    const list = keys.slice(0, 5).map((key) => quote(key)).join(", ");
    throw new TypeError(
      `"${at}" must name one operation, got ${
        formatValue(name)
      }, which is the id of ${list}; use the method and the path`,
    );
  }
  if (document.unreadable.some(({ path }) => name.endsWith(` ${path}`))) return undefined;
  const known = document.operations.slice(0, MAX_COMPARED).flatMap(({ operation }) =>
    [
      operation.operationId ?? [],
      keyOf(operation),
    ].flat()
  );
  const near = findNearest(name, known);
  const remedy = near === undefined ? "" : `; did you mean ${quote(near)}?`;
  throw new TypeError(
    `"${at}" must be an operation of the document, got ${formatValue(name)}${remedy}`,
  );
}
