/**
 * Finds names in type declarations.
 *
 * @module
 */

/** Declarations, keyed by name. A name can have several declarations. */
export type Declarations = ReadonlyMap<string, readonly string[]>;

const DECLARATION =
  /^(?:export )?(?:declare )?(?:abstract |async )?(?:class|interface|type|function|const) (\w+)(?:.*;$|[^]*?^(?:\}|\S.*;$))/gm;
const BASES = /(?:extends|=) (\w+)/g;

/** Reads the TypeScript files in folders and their subfolders. */
export async function readDeclarations(folders: readonly string[]): Promise<Declarations> {
  const found = new Map<string, string[]>();
  for (const folder of folders) await addFolder(folder, found);
  return found;
}

async function addFolder(folder: string, found: Map<string, string[]>): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) await addFolder(path, found);
    else if (/\.m?ts$/.test(name)) addFile(await Deno.readTextFile(path), found);
  }
}

function addFile(text: string, found: Map<string, string[]>): void {
  for (const [declaration, name = ""] of text.matchAll(DECLARATION)) {
    found.set(name, [...found.get(name) ?? [], declaration]);
  }
}

/**
 * Returns true if a symbol, or a member such as `Client.connect`, is declared. Base types are
 * searched too.
 */
export function declares(declarations: Declarations, name: string): boolean {
  const [symbol = "", member] = name.split(".");
  const own = declarations.get(symbol) ?? [];
  if (member === undefined) return own.length > 0;
  const pattern = new RegExp(`^\\s+(?:[a-z]+ )*\\*?${member}[?(<:]`, "m");
  return own.some((text) =>
    pattern.test(text) ||
    [...text.matchAll(BASES)].some(([, base = ""]) =>
      base !== symbol && declares(declarations, `${base}.${member}`)
    )
  );
}
