/**
 * The module that imports the released requirement sets.
 *
 * @module
 */

/** Formats the module that imports the given files of the folder of requirement sets. */
export function formatSetModule(files: readonly string[]): string {
  const errata = files.filter((name) => name.endsWith(".errata.json")).toSorted();
  const sets = files.filter((name) => name !== "draft.json" && !errata.includes(name)).toSorted();
  const imports = [...sets, ...errata].map((name) =>
    `import ${toName(name)} from "../requirements/${name}" with { type: "json" };\n`
  );
  return `// deno-fmt-ignore-file
/**
 * The released requirement sets and their errata. The task \`freeze\` writes this module.
 *
 * @module
 */

${imports.join("")}${imports.length === 0 ? "" : "\n"}/** The parsed files of released sets. */
export const RELEASED_SETS: readonly unknown[] = ${formatList(sets)};

/** The parsed files of errata. */
export const ERRATA: readonly unknown[] = ${formatList(errata)};
`;
}

function formatList(names: readonly string[]): string {
  return names.length === 0 ? "[]" : `[\n${names.map((name) => `  ${toName(name)},\n`).join("")}]`;
}

/** Returns the name of an imported file: `mcp-2026-07-28.1.json` is `mcp20260728Set1`. */
function toName(file: string): string {
  const words = file.replace(/\.json$/, "").replace(/\.(\d+)/, "-set$1").split(/[-.]/);
  return words.map((word, index) =>
    index === 0 ? word : `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
  ).join("");
}
