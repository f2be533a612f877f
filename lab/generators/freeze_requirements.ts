/**
 * Writes requirement sets: `comm-VERSION` and `runtime-VERSION` with all cases of the library, and
 * `mcp-DATE` with all cases that apply to a protocol version. An existing set is not replaced,
 * because a frozen set never changes.
 *
 *     deno run -A lab/generators/freeze_requirements.ts comm-0.2.0 runtime-0.2.0
 *
 * After running this program, add the new sets to `conformance/kit/requirements.ts`, and
 * the printed digests to `conformance/kit/requirements_test.ts`.
 *
 * @module
 */

import process from "node:process";
import { libraryOf } from "../../conformance/kit/select_cases.ts";
import { sha256Hex } from "../../conformance/platform/crypto.ts";
import { loadSuite } from "../../conformance/suite.ts";

const NAME = /^(comm|runtime)-\d+\.\d+\.\d+$|^mcp-(\d{4}-\d\d-\d\d)(\.\d+)?$/;

/** Returns the ids of the cases that a new set contains, in file order. */
function idsOf(name: string): readonly string[] {
  const [, library = "mcp", date] = NAME.exec(name) ?? [];
  return [...loadSuite().values()].filter(({ id, revisions = {} }) =>
    libraryOf(id) === library &&
    (date === undefined || ((revisions.from ?? "") <= date && date <= (revisions.to ?? "9")))
  ).map(({ id }) => id);
}

for (const name of process.argv.slice(2)) {
  if (!NAME.test(name)) throw new SyntaxError(`"${name}" is not a valid requirement set name`);
  const text = `${JSON.stringify(idsOf(name), null, 2)}\n`;
  const target = new URL(`../../conformance/requirements/${name}.json`, import.meta.url);
  await Deno.writeTextFile(target, text, { createNew: true });
  process.stdout.write(`${name} ${sha256Hex(text).slice(0, 16)}\n`);
}
