/**
 * References inside an OpenAPI document. Nothing is ever fetched.
 *
 * @module
 */

import { quote } from "@parley/internal/format-value";
import { isRecord, type UnknownRecord } from "@parley/internal/json";
import { UnsupportedOperation } from "./failures.ts";

/** Maximum number of references that refer to a reference. */
const MAX_HOPS = 20;

/**
 * Returns the target of a Reference Object, or the value itself if it is not a reference.
 *
 * @throws {UnsupportedOperation} If the reference is external, has no target, or is cyclic.
 */
export function resolve(root: UnknownRecord, value: unknown): unknown {
  let target = value;
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    if (!isRecord(target) || typeof target.$ref !== "string") return target;
    target = targetOf(root, target.$ref);
  }
  throw new UnsupportedOperation("references form a cycle");
}

/**
 * Returns the value to which a reference refers.
 *
 * @throws {UnsupportedOperation} If the reference is external or has no target.
 */
export function targetOf(root: UnknownRecord, reference: string): unknown {
  if (!reference.startsWith("#/")) {
    throw new UnsupportedOperation(
      `the reference ${quote(reference)} is not a JSON Pointer into the document`,
    );
  }
  let target: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const name = decodeStep(part);
    const isMember = typeof target === "object" && target !== null && Object.hasOwn(target, name);
    if (!isMember) {
      throw new UnsupportedOperation(`the reference ${quote(reference)} has no target`);
    }
    target = Reflect.get(Object(target), name);
  }
  return target;
}

/** Decodes a step of a JSON Pointer in a URI fragment (RFC 6901, section 6). */
function decodeStep(step: string): string {
  let decoded = step;
  try {
    decoded = decodeURIComponent(step);
  } catch {
    // Some documents contain pointers that are not percent-encoded.
  }
  return decoded.replaceAll("~1", "/").replaceAll("~0", "~");
}
