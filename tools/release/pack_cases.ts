/**
 * Makes the npm package of the conformance kit small, and its command fast to start: writes JSON
 * modules without whitespace, and joins the case files into one JSON file for each library, which
 * Node.js reads on first use.
 *
 * @module
 */

import { ToolError } from "../cli.ts";

/** Import in package.json for which {@linkcode packCases} writes the modules. */
export const CASE_IMPORTS = {
  "#case-files": {
    // Deno also has the condition "node", but a program on Deno may lack the permission to read
    // files.
    deno: "./esm/case_files.js",
    node: "./esm/case_files_node.js",
    default: "./esm/case_files.js",
  },
} as const;

/** The statement in the compiled `suite.ts` that imports the case files. */
const STATIC_IMPORT = 'from "./case_files.js"';

const START = "export default ";

/**
 * Empties the case files in a folder whose modules are then compiled. The compiler takes longer to
 * infer the types of the cases than to compile all modules, and {@linkcode packCases} replaces the
 * compiled case files.
 */
export async function emptyCases(folder: string): Promise<void> {
  for (const path of await listFiles(folder, "cases/", ".json")) {
    await Deno.writeTextFile(`${folder}/${path}`, "{}");
  }
}

/**
 * Replaces the case files of a package.
 *
 * @param esm Folder that contains the compiled modules.
 * @param source Folder of the kit, which contains the case files.
 * @throws {ToolError} If a module does not have the expected form.
 */
export async function packCases(esm: string, source: string): Promise<void> {
  const libraries = new Map<string, Record<string, unknown>>();
  for (const path of await listFiles(source, "cases/", ".json")) {
    const [, library = ""] = path.split("/");
    const files = libraries.get(library) ?? {};
    const json: unknown = JSON.parse(await Deno.readTextFile(`${source}/${path}`));
    libraries.set(library, { ...files, [path]: json });
  }
  await Deno.remove(`${esm}/cases`, { recursive: true });
  await Deno.mkdir(`${esm}/cases`);
  for (const [library, files] of libraries) {
    await Deno.writeTextFile(`${esm}/cases/${library}.json`, JSON.stringify(files));
  }
  const names = [...libraries.keys()].toSorted();
  await Deno.writeTextFile(`${esm}/case_files.js`, formatStaticModule(names));
  await Deno.writeTextFile(`${esm}/case_files_node.js`, formatNodeModule(names));
  await useImport(`${esm}/suite.js`);
  // dnt repeats only the type of the package in this file, which would hide the imports of the
  // package.
  await Deno.remove(`${esm}/package.json`);
}

/**
 * Replaces each JSON module in a folder with a module that parses text, which engines load faster
 * than an object.
 */
export async function minifyJsonModules(esm: string): Promise<void> {
  for (const path of await listFiles(esm, "", ".js")) {
    const value = readJsonModule(await Deno.readTextFile(`${esm}/${path}`));
    if (value !== undefined) {
      await Deno.writeTextFile(`${esm}/${path}`, formatJsonModule(value.json));
    }
  }
}

/**
 * Returns the value of a module that exports only a JSON value, or `undefined` for other modules.
 */
export function readJsonModule(text: string): { readonly json: unknown } | undefined {
  if (!text.startsWith(START)) return undefined;
  try {
    return { json: JSON.parse(text.slice(START.length).replace(/;\s*$/, "")) };
  } catch {
    // The module exports something else.
    return undefined;
  }
}

/** Formats a module that exports a JSON value. */
export function formatJsonModule(json: unknown): string {
  // A quotation mark need not be escaped in a string with single quotes, and JSON text contains
  // many.
  const text = JSON.stringify(json).replace(/[\\']/g, "\\$&");
  return `${START}JSON.parse('${text}');\n`;
}

/** Formats the module for browsers and workers, which imports the files with the code. */
function formatStaticModule(names: readonly string[]): string {
  const imports = names.map((name) =>
    `import ${name} from "./cases/${name}.json" with { type: "json" };\n`
  );
  return `${imports.join("")}
export function readCaseFiles() {
  return new Map([${names.join(", ")}].flatMap((files) => Object.entries(files)));
}
`;
}

/** Formats the module for Node.js, Deno and Bun, which reads the files when they are needed. */
function formatNodeModule(names: readonly string[]): string {
  return `import { readFileSync } from "node:fs";

function readFiles(name) {
  const url = new URL(\`./cases/\${name}.json\`, import.meta.url);
  return Object.entries(JSON.parse(readFileSync(url, "utf8")));
}

export function readCaseFiles() {
  return new Map(${JSON.stringify(names)}.flatMap(readFiles));
}
`;
}

async function useImport(path: string): Promise<void> {
  const text = await Deno.readTextFile(path);
  if (text.split(STATIC_IMPORT).length !== 2) {
    throw new ToolError(`Cannot pack the cases: ${path} does not import the case files once`);
  }
  await Deno.writeTextFile(path, text.replace(STATIC_IMPORT, 'from "#case-files"'));
}

/**
 * Lists the files below a folder whose names have an extension, in alphabetical order of their
 * paths.
 */
async function listFiles(
  folder: string,
  below: string,
  extension: string,
): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${below}`)) {
    if (isDirectory) paths.push(...await listFiles(folder, `${below}${name}/`, extension));
    else if (name.endsWith(extension)) paths.push(`${below}${name}`);
  }
  return paths.toSorted();
}
