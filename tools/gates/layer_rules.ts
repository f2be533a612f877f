/**
 * Compares the imports of source files with the rules in layers.json.
 *
 * A unit is a file in the root of a member (`mod.ts`) or a folder (`transport/`). Each unit is listed in exactly one
 * rule.
 *
 * @module
 */

/** An import, and the file in the repository to which it resolves, if any. */
export interface Import {
  /** The specifier as written, such as `./queue.ts`, `@std/assert` or `node:fs`. */
  readonly specifier: string;
  /** Path relative to the repository root. */
  readonly file?: string;
}

/** A source file of a member. */
export interface SourceFile {
  /** Path relative to the repository root, such as `mcp/jsonrpc/read_frame.ts`. */
  readonly path: string;
  /** Static, type and dynamic imports. */
  readonly imports: readonly Import[];
  /** Specifier of each `import()` expression, or `*` if the specifier is computed. */
  readonly dynamicImports: readonly string[];
  /** Whether the code refers to the global `Deno`. */
  readonly usesDeno: boolean;
}

/** The rules for one member. */
export interface MemberRules {
  /** Ranks of units, lowest first. A unit may import units of its own rank and of all lower ranks. */
  readonly order?: readonly (readonly string[])[];
  /**
   * Common units, which every unit in `uses` may import. A common unit may import the common units listed before it.
   */
  readonly common?: readonly string[];
  /**
   * Units that a given unit may import in addition to itself. The unit `*` means the whole member, and `*.ts` means
   * every file in the member's root except the given unit.
   */
  readonly uses?: Readonly<Record<string, readonly string[]>>;
  /** Packages of the workspace that every unit may import. */
  readonly packages?: readonly string[];
  /** The door of each dependency or subpath of a dependency, that is, the only file or folder that may import it. */
  readonly doors: Readonly<Record<string, string>>;
  /** Platform APIs that a file or folder may use, each `Deno` or a `node:` module. */
  readonly platform: Readonly<Record<string, readonly string[]>>;
  /**
   * Folders outside the member that a unit may import. If omitted, all imports must stay within the member's folder.
   */
  readonly outside?: Readonly<Record<string, readonly string[]>>;
  /** Files that may call `import()`, and the allowed specifiers. `*` means a computed specifier. */
  readonly dynamicImports?: Readonly<Record<string, readonly string[]>>;
  /** Maximum number of floors, as defined in `folder_graph.ts`. */
  readonly maxFloors?: number;
}

/** Rules for all members, keyed by member name. */
export type LayerRules = Readonly<Record<string, MemberRules>>;

/** Returns one line for each violation of the rules. */
export function checkLayers(rules: LayerRules, files: readonly SourceFile[]): string[] {
  const shipped = files.filter(({ path }) => !isTest(path));
  const breaches = Object.entries(rules).flatMap(([member, memberRules]) => {
    const own = shipped.filter(({ path }) => path.startsWith(`${member}/`));
    return checkMember(new Member(member, memberRules), own);
  });
  const ruled = (path: string) => Object.hasOwn(rules, path.split("/", 1)[0] ?? "");
  const unknown = shipped.filter(({ path }) => !ruled(path))
    .map(({ path }) => `${path} belongs to no member in layers.json`);
  return [...breaches, ...unknown, ...findCycles(shipped).map((cycle) => `cycle: ${cycle}`)];
}

/**
 * Returns true if the file is used only by tests. A test file may import anything, but a shipped file must not import a
 * test file.
 */
export function isTest(path: string): boolean {
  return path.endsWith("_test.ts") || path.includes("/testdata/");
}

class Member {
  readonly name: string;
  readonly rules: MemberRules;
  readonly #allowed: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(name: string, rules: MemberRules) {
    this.name = name;
    this.rules = rules;
    this.#allowed = new Map(allowedImports(rules));
  }

  /** Returns the unit to which a path in this member belongs. */
  unitOf(path: string): string | undefined {
    const inside = path.slice(this.name.length + 1);
    const known = [...this.#allowed.keys()].filter((unit) =>
      unit.endsWith("/") ? inside.startsWith(unit) : inside === unit
    );
    const unit = known.toSorted((a, b) => b.length - a.length)[0];
    const other = !inside.includes("/") && this.#allowed.has("*.ts") ? "*.ts" : undefined;
    return unit ?? other;
  }

  mayImport(from: string, to: string): boolean {
    const allowed = this.#allowed.get(from);
    return from === to || allowed?.has("*") === true || allowed?.has(to) === true;
  }

  describe(unit: string): string {
    const allowed = [...this.#allowed.get(unit) ?? []].filter((other) => other !== unit);
    return allowed.length === 0 ? "no other unit" : `only ${allowed.join(", ")}`;
  }

  units(): string[] {
    return [...this.#allowed.keys()];
  }
}

function* allowedImports(
  { order = [], common = [], uses = {} }: MemberRules,
): Generator<[string, ReadonlySet<string>]> {
  const below: string[] = [];
  for (const rank of order) {
    below.push(...rank);
    for (const unit of rank) yield [unit, new Set(below)];
  }
  for (const [index, unit] of common.entries()) yield [unit, new Set(common.slice(0, index))];
  for (const [unit, others] of Object.entries(uses)) yield [unit, new Set([...common, ...others])];
}

function checkMember(member: Member, files: readonly SourceFile[]): string[] {
  const breaches = files.flatMap((file) => {
    const unit = member.unitOf(file.path);
    if (unit === undefined) return [`${file.path} belongs to no unit in layers.json`];
    return [
      ...file.imports.flatMap((target) => checkImport(member, file.path, unit, target) ?? []),
      ...checkPlatform(member, file),
    ];
  });
  return [...breaches, ...findStale(member, files)];
}

/** Returns the rule violation that an import causes, if any. */
function checkImport(
  member: Member,
  path: string,
  unit: string,
  { specifier, file }: Import,
): string | undefined {
  if (specifier.startsWith("node:")) return undefined;
  if (member.rules.packages?.some((name) => specifier.startsWith(`${name}/`))) return undefined;
  if (file === undefined) return checkDoor(member, path, specifier);
  const importing = `${path} imports ${file}`;
  if (isTest(file)) return `${importing}: a shipped file must not import a test file`;
  if (!file.startsWith(`${member.name}/`)) {
    if (member.rules.outside?.[unit]?.some((folder) => file.startsWith(folder))) return undefined;
    return `${importing}: a file outside ${member.name}/ would not be published`;
  }
  const other = member.unitOf(file);
  if (other === undefined || !file.endsWith(".ts") || member.mayImport(unit, other)) {
    return undefined;
  }
  return `${importing}: ${unit} may import ${member.describe(unit)}`;
}

function checkDoor(member: Member, path: string, specifier: string): string | undefined {
  const dependency = findDoor(member, specifier);
  if (dependency === undefined) {
    return `${path} imports "${specifier}", a dependency that layers.json does not list in "doors"`;
  }
  const door = `${member.name}/${member.rules.doors[dependency]}`;
  if (isBehind(path, door)) return undefined;
  return `${path} imports "${specifier}": only ${door} may import this dependency`;
}

/** Returns the longest name in `doors` that is equal to the specifier or to a parent path of the specifier. */
function findDoor(member: Member, specifier: string): string | undefined {
  const bare = specifier.replace(/^(?:npm|jsr):\/?/, "").replace(/(?<=.)@[^/]*/, "");
  return Object.keys(member.rules.doors)
    .filter((name) => bare === name || bare.startsWith(`${name}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

function isBehind(path: string, door: string): boolean {
  return door.endsWith("/") ? path.startsWith(door) : path === door;
}

function checkPlatform({ name, rules }: Member, file: SourceFile): string[] {
  const listed = Object.entries(rules.platform)
    .filter(([place]) => isBehind(file.path, `${name}/${place}`)).flatMap(([, apis]) => apis);
  return platformApis(file).filter((api) => !listed.includes(api))
    .map((api) => `${file.path} uses ${api}, which layers.json does not list for it`);
}

function platformApis(file: SourceFile): string[] {
  const modules = file.imports.map(({ specifier }) => specifier)
    .filter((name) => name.startsWith("node:"));
  return [...new Set([...modules, ...(file.usesDeno ? ["Deno"] : [])])];
}

/** Returns one line for each `import()` expression that layers.json does not list. */
export function findDynamicImports(
  name: string,
  { dynamicImports = {} }: MemberRules,
  files: readonly SourceFile[],
): string[] {
  return files.filter(({ path }) => path.startsWith(`${name}/`) && !isTest(path)).flatMap(
    (file) => {
      const listed = dynamicImports[file.path.slice(name.length + 1)] ?? [];
      return file.dynamicImports.filter((specifier) => !listed.includes(specifier))
        .map((specifier) =>
          `${file.path} calls import(${
            specifier === "*" ? "…" : `"${specifier}"`
          }): write a static import`
        );
    },
  );
}

/** Returns the rules that can be removed, because no file needs them. */
function findStale(member: Member, files: readonly SourceFile[]): string[] {
  const { doors, platform, dynamicImports = {}, outside = {}, packages = [] } = member.rules;
  const live = new Set(files.map(({ path }) => member.unitOf(path)));
  const units = member.units().filter((unit) => !live.has(unit)).map((unit) => `the unit ${unit}`);
  const unused = Object.entries(doors).filter(([name, door]) =>
    !files.some(({ path, imports }) =>
      isBehind(path, `${member.name}/${door}`) &&
      imports.some((target) =>
        target.file === undefined && findDoor(member, target.specifier) === name
      )
    )
  ).map(([name, door]) => `the import of "${name}" in ${door}`);
  const quiet = Object.entries(platform).flatMap(([place, apis]) => {
    const inside = files.filter(({ path }) => isBehind(path, `${member.name}/${place}`));
    const used = inside.flatMap(platformApis);
    return apis.filter((api) => !used.includes(api)).map((api) => `the use of ${api} in ${place}`);
  });
  const called = Object.entries(dynamicImports).flatMap(([place, specifiers]) => {
    const file = files.find(({ path }) => path === `${member.name}/${place}`);
    return specifiers.filter((specifier) => !file?.dynamicImports.includes(specifier))
      .map((specifier) => `the call import("${specifier}") in ${place}`);
  });
  const left = Object.entries(outside).flatMap(([unit, folders]) => {
    const targets = files.filter(({ path }) => member.unitOf(path) === unit)
      .flatMap(({ imports }) => imports.flatMap(({ file }) => file ?? []));
    return folders.filter((folder) => !targets.some((target) => target.startsWith(folder)))
      .map((folder) => `the import of ${folder} in ${unit}`);
  });
  const idle = packages.filter((name) =>
    !files.some(({ imports }) => imports.some(({ specifier }) => specifier.startsWith(`${name}/`)))
  ).map((name) => `the package ${name}`);
  return [...units, ...unused, ...quiet, ...called, ...left, ...idle]
    .map((rule) => `layers.json lists ${rule}, which ${member.name} no longer has`);
}

/** Returns one cycle for each back edge found by a depth-first search. */
function findCycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(" -> "));
    const file = byPath.get(path);
    if (start >= 0 || done.has(path) || file === undefined) return;
    for (const { file: next } of file.imports) {
      if (next !== undefined) visit(next, [...trail, path]);
    }
    done.add(path);
  };
  for (const path of byPath.keys()) visit(path, []);
  return cycles;
}
