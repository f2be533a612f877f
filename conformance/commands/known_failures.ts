/**
 * Third-party implementations that are known to fail cases. Only the repository contains the list,
 * because a released list would be wrong as soon as one of the implementations is corrected.
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import { readText } from "../platform/fs.ts";

/** The list: ids of cases, keyed by the name and version of an implementation. */
const LIST = new URL("../known_failures.json", import.meta.url);

/**
 * Returns the names and versions of the implementations that are known to fail a case. Returns an
 * empty array if the list does not exist.
 *
 * @throws {KitError} With code `bad_file` if the list is not readable.
 */
export async function findKnownFailures(
  caseId: string,
  list: URL = LIST,
): Promise<readonly string[]> {
  // A kit that was loaded from a registry has an https: URL.
  const text = list.protocol === "file:" ? await readText(list) : undefined;
  const failures = text === undefined ? undefined : readJson(text)?.value;
  if (!isObject(failures)) return [];
  return Object.entries(failures)
    .filter(([, ids]) => Array.isArray(ids) && ids.includes(caseId)).map(([name]) => name);
}
