/**
 * The module that imports the case files.
 *
 * @module
 */

/**
 * Formats the module that imports the case files with the given paths, which are relative to the
 * folder of cases.
 */
export function formatCaseModule(paths: readonly string[]): string {
  const imports = paths.map((path) =>
    `import ${toName(path)} from "./cases/${path}" with { type: "json" };\n`
  );
  const entries = paths.map((path) => `  ["cases/${path}", ${toName(path)}],\n`);
  return `// deno-fmt-ignore-file
/**
 * The kit's case files. The task \`cases\` writes this module.
 *
 * The case files are imported statically, which makes them part of the published package on all
 * runtimes.
 *
 * @module
 */

${imports.join("")}
const FILES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
${entries.join("")}]);

/** Returns the parsed case files, keyed by their path in the package. */
export function readCaseFiles(): ReadonlyMap<string, unknown> {
  return FILES;
}
`;
}

/**
 * Returns the name of an imported file: `mcp/server/http_sessions.json` is `mcpServerHttpSessions`.
 */
function toName(path: string): string {
  return path.replace(/\.json$/, "").replace(
    /[/_](\w)/g,
    (_, letter: string) => letter.toUpperCase(),
  );
}
