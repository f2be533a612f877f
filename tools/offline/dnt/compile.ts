/**
 * Runs the TypeScript compiler over the staged modules.
 *
 * @module
 */

import ts from "typescript";

/** A message from the compiler. */
export type Diagnostic = ts.Diagnostic;

/** Compiles `src/` to `esm/` under `out`, with declarations. */
export function compile(
  out: string,
  lib: readonly string[],
  matters: (diagnostic: Diagnostic) => boolean,
): void {
  const files = listFiles(`${out}/src`);
  const options: ts.CompilerOptions = {
    allowJs: true,
    declaration: true,
    isolatedModules: true,
    lib: lib.map((name) => libFile(name)),
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noImplicitOverride: true,
    outDir: `${out}/esm`,
    rootDir: `${out}/src`,
    skipLibCheck: true,
    strict: true,
    target: ts.ScriptTarget.ES2022,
    typeRoots: [`${out}/node_modules/@types`],
    types: installedTypes(`${out}/node_modules/@types`),
    useUnknownInCatchVariables: false,
  };
  const program = ts.createProgram(files, options);
  const diagnostics = ts.getPreEmitDiagnostics(program).filter(matters);
  const problems = diagnostics.length > 0 ? diagnostics : program.emit().diagnostics;
  if (problems.length > 0) throw new Error(format(problems, out));
}

/** Returns the declaration file for a library name. The TypeScript compiler's types do not declare `libMap`. */
function libFile(name: string): string {
  const { libMap } = ts as unknown as { readonly libMap: ReadonlyMap<string, string> };
  const file = libMap.get(name.toLowerCase());
  if (file === undefined) throw new Error(`Could not find filename for lib: ${name}`);
  return file;
}

function listFiles(dir: string): string[] {
  return [...Deno.readDirSync(dir)].flatMap(({ name, isDirectory }) =>
    isDirectory ? listFiles(`${dir}/${name}`) : [`${dir}/${name}`]
  );
}

function installedTypes(dir: string): string[] {
  try {
    return [...Deno.readDirSync(dir)].map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function format(diagnostics: readonly ts.Diagnostic[], out: string): string {
  return ts.formatDiagnostics(diagnostics, {
    getCanonicalFileName: (file) => file,
    getCurrentDirectory: () => out,
    getNewLine: () => "\n",
  });
}
