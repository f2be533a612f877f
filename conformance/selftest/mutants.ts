/**
 * Lists of mutants for the Parley libraries.
 *
 * @module
 */

import schema from "../schemas/mutants.schema.json" with { type: "json" };
import { KitError, KitErrorCode } from "../kit/error.ts";
import { readJson } from "../kit/json.ts";
import type { Suite } from "../kit/load_cases.ts";
import { compileSchema } from "../kit/schema.ts";
import { readText } from "../platform/fs.ts";
import type { MemberMutant } from "./workspace.ts";

const FILES = ["comm.json", "runtime.json", "mcp.json"];

/**
 * Reads the lists of mutants.
 *
 * @param folder Folder that contains the lists of mutants.
 * @throws {KitError} With code `bad_file` if a file is malformed.
 */
export async function readMemberMutants(folder: URL): Promise<readonly MemberMutant[]> {
  const lists = await Promise.all(FILES.map(async (name) => {
    const text = await readText(new URL(name, folder));
    if (text === undefined) return [];
    const parsed = readJson(text);
    const problem = parsed === undefined
      ? { path: "", message: "invalid JSON" }
      : compileSchema(schema)(parsed.value);
    if (problem === undefined) return parsed?.value as readonly MemberMutant[];
    throw new KitError(
      KitErrorCode.BadFile,
      `Cannot read mutants "${name}": ${problem.path} ${problem.message}`,
    );
  }));
  return lists.flat();
}

/** Finds errors in the lists: duplicate ids, unknown cases, and cases that do not list the mutant. */
export function findListProblems(
  mutants: readonly MemberMutant[],
  suite: Suite,
): readonly string[] {
  const seen = new Set<string>();
  return mutants.flatMap(({ id, kills }) => {
    const twice = seen.has(id) ? [`duplicate mutant ${id}`] : [];
    seen.add(id);
    return [
      ...twice,
      ...kills.flatMap((kill) => {
        const found = suite.get(kill);
        if (found === undefined) return [`mutant ${id} lists ${kill}, which is not a case`];
        return found.catches?.includes(id) === true
          ? []
          : [`mutant ${id} lists ${kill}, but the case does not list the mutant in "catches"`];
      }),
    ];
  });
}
