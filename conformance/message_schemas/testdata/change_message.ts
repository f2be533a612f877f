/**
 * Changes one member of a message.
 *
 * @module
 */

import { MISSING } from "./message_row.ts";

/**
 * Returns a copy of a message in which one member has another value, or is missing.
 *
 * @param path Such as `params.list[0]` or `params["a/b"]`. All objects on the path must exist.
 */
export function changeMessage(message: object, path: string, value: unknown): unknown {
  const steps = [...path.matchAll(/\["([^"]+)"\]|\[(\d+)\]|([^.[\]]+)/g)];
  return change(
    message,
    steps.map(([, quoted, index, name]) => quoted ?? index ?? name ?? ""),
    value,
  );
}

function change(parent: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof parent !== "object" || parent === null) throw new RangeError(`no member "${step}"`);
  const copy: object = Array.isArray(parent) ? [...parent] : { ...parent };
  const changed = change(Reflect.get(parent, step), rest, value);
  if (changed === MISSING) Reflect.deleteProperty(copy, step);
  else Reflect.set(copy, step, changed);
  return copy;
}
