/**
 * Checks the types of one changed file.
 *
 * @module
 */

import { ts } from "./typescript.ts";

/** Folder of the code that the libraries share. */
const SHARED = new URL("../../../internal", import.meta.url).pathname;

/** Shared files, keyed by the name under which the libraries import the file. */
const SHARED_FILES: Readonly<Record<string, string[]>> = Object.fromEntries(
  ts.sys.readDirectory(SHARED, [".ts"]).map((path) => {
    const name = path.slice(SHARED.length, -".ts".length).replaceAll("_", "-");
    return [`@parley/internal${name}`, [path]];
  }),
);

/** The repository's compiler options that affect whether a file has type errors. */
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.esnext.full.d.ts"],
  types: [],
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noUncheckedIndexedAccess: true,
  paths: SHARED_FILES,
};

/**
 * A program in which one file at a time is changed. Third-party packages are not resolved, so the
 * errors of the unchanged file are subtracted from the errors of the changed file.
 */
export class TypeChecker {
  readonly #service: ts.LanguageService;
  readonly #changed: Map<string, string> = new Map();
  readonly #versions: Map<string, number> = new Map();
  readonly #own: Map<string, ReadonlySet<string>> = new Map();

  /** Creates the program. `files` contains the paths of the program's files. */
  constructor(files: readonly string[]) {
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => OPTIONS,
      getScriptFileNames: () => [...files],
      getScriptVersion: (path) => `${this.#versions.get(path) ?? 0}`,
      getScriptSnapshot: (path) => {
        const text = this.#changed.get(path) ?? ts.sys.readFile(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
      getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
      fileExists: (path) => ts.sys.fileExists(path),
      readFile: (path) => ts.sys.readFile(path),
      directoryExists: (path) => ts.sys.directoryExists(path),
    });
  }

  /**
   * Returns true if a file with the changed text has no errors that the unchanged file does not
   * have.
   */
  accepts(path: string, text: string): boolean {
    const own = this.#own.get(path) ?? new Set(this.#errors(path));
    this.#own.set(path, own);
    this.#change(path, text);
    const errors = this.#errors(path);
    this.#change(path, undefined);
    return errors.every((error) => own.has(error));
  }

  #change(path: string, text: string | undefined): void {
    if (text === undefined) this.#changed.delete(path);
    else this.#changed.set(path, text);
    this.#versions.set(path, (this.#versions.get(path) ?? 0) + 1);
  }

  #errors(path: string): readonly string[] {
    return [
      ...this.#service.getSyntacticDiagnostics(path),
      ...this.#service.getSemanticDiagnostics(path),
    ].map(({ code, messageText }) =>
      `${code} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`
    );
  }
}
