/**
 * Writes the starters in `examples/starters`, from which the command `init` creates projects, into
 * modules of the packages. Package managers, bundlers and JSR load the generated modules like any
 * other code.
 *
 *     deno run -A tools/release/embed_starters.ts
 *
 * @module
 */

import { readFlags, runTool } from "../cli.ts";
import { type Member, readMembers, ROOT } from "../members.ts";

/** Kinds of starters, by member. */
const KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["runtime", ["agent", "team", "acp"]],
  ["mcp", ["server", "client"]],
]);

/** Returns the text of each generated module, keyed by path relative to the repository root. */
export async function embedStarters(): Promise<ReadonlyMap<string, string>> {
  const members = (await readMembers()).filter(({ folder }) => KINDS.has(folder));
  return new Map(
    await Promise.all(members.map(async (member) =>
      [
        `${member.folder}/init/starters.ts`,
        await formatModule(member, KINDS.get(member.folder) ?? []),
      ] as const
    )),
  );
}

async function formatModule(
  { name, version }: Member,
  kinds: readonly string[],
): Promise<string> {
  const constants = await Promise.all(kinds.map(formatStarter));
  const entries = kinds.map((kind) => `["${kind}", ${kind.toUpperCase()}]`).join(", ");
  return `/**
 * Starters of the command \`init\`, which \`tools/release/embed_starters.ts\` generates from
 * \`examples/starters\`.
 *
 * @module
 */

import type { Starters } from "@parley/internal/create-project";

${constants.join("\n")}
/** The starters of this package. */
export const STARTERS: Starters = {
  packageName: "${name}",
  version: "${version}",
  kinds: new Map([${entries}]),
};
`;
}

async function formatStarter(kind: string): Promise<string> {
  const folder = new URL(`examples/starters/${kind}/`, ROOT);
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).toSorted();
  const files = await Promise.all(names.map(async (name) => {
    const text = await Deno.readTextFile(new URL(name, folder));
    // The first line ends with a line continuation, so that its length does not change the
    // formatting.
    return `  "${name}": \`\\\n${text.replaceAll(/[\\`]|\$\{/g, "\\$&")}\`,\n`;
  }));
  return `const ${kind.toUpperCase()}: Readonly<Record<string, string>> = {\n${files.join("")}};\n`;
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  for (const [path, text] of await embedStarters()) {
    await Deno.writeTextFile(new URL(path, ROOT), text);
    console.log(`wrote ${path}`);
  }
  return 0;
}

if (import.meta.main) await runTool("embed_starters", main);
