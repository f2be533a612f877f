/**
 * Compares the imports of source files with the rules in layers.json.
 *
 * A unit is a file in the root of a member (`mod.ts`) or a folder (`transport/`). Each unit is
 * listed in exactly one rule.
 *
 * @module
 */

import { findJsonLine, formatPlace } from "./places.ts";

/** An import, and the file in the repository to which it resolves, if any. */
export interface Import {
  /** The specifier as written, such as `./queue.ts`, `@std/assert` or `node:fs`. */
  readonly specifier: string;
  /** Path relative to the repository root. */
  readonly file?: string;
  /** Line of the import, starting at 1. */
  readonly line?: number;
}

/** An `import()` expression. */
export interface DynamicImport {
  /** The specifier as written, or `*` if the specifier is computed. */
  readonly specifier: string;
  /** Line of the expression, starting at 1. */
  readonly line: number;
}

/** A source file of a member. */
export interface SourceFile {
  /** Path relative to the repository root, such as `mcp/jsonrpc/read_frame.ts`. */
  readonly path: string;
  /** Static, type and dynamic imports. */
  readonly imports: readonly Import[];
  readonly dynamicImports: readonly DynamicImport[];
  /** Line of the first reference to the global `Deno`. Omitted if the code does not refer to it. */
  readonly denoLine?: number;
}

/** The rules for one member. */
export interface MemberRules {
  /**
   * Ranks of units, lowest first. A unit may import units of its own rank and of all lower ranks.
   */
  readonly order?: readonly (readonly string[])[];
  /**
   * Common units, which every unit in `uses` may import. A common unit may import the common units
   * listed before it.
   */
  readonly common?: readonly string[];
  /**
   * Units that a given unit may import in addition to itself. The unit `*` means the whole member,
   * and `*.ts` means every file in the member's root except the given unit.
   */
  readonly uses?: Readonly<Record<string, readonly string[]>>;
  /** Packages of the workspace that every unit may import. */
  readonly packages?: readonly string[];
  /**
   * The door of each dependency or subpath of a dependency, that is, the only file or folder that
   * may import it.
   */
  readonly doors: Readonly<Record<string, string>>;
  /** Platform APIs that a file or folder may use, each `Deno` or a `node:` module. */
  readonly platform: Readonly<Record<string, readonly string[]>>;
  /**
   * Folders outside the member that a unit may import. If omitted, all imports must stay within the
   * member's folder.
   */
  readonly outside?: Readonly<Record<string, readonly string[]>>;
  /** Files that may call `import()`, and the allowed specifiers. `*` means a computed specifier. */
  readonly dynamicImports?: Readonly<Record<string, readonly string[]>>;
  /** Maximum number of floors, as defined in `folder_graph.ts`. */
  readonly maxFloors?: number;
}

/** Rules for all members, keyed by member name. */
export type LayerRules = Readonly<Record<string, MemberRules>>;

/**
 * Returns one line for each violation of the rules. Rules that are no longer needed are located in
 * `rulesText`, the text of layers.json.
 */
export function checkLayers(
  rules: LayerRules,
  files: readonly SourceFile[],
  rulesText = "",
): string[] {
  const shipped = files.filter(({ path }) => !isTest(path));
  const breaches = Object.entries(rules).flatMap(([member, memberRules]) => {
    const own = shipped.filter(({ path }) => path.startsWith(`${member}/`));
    return checkMember(new Member(member, memberRules), own, rulesText);
  });
  const ruled = (path: string) => Object.hasOwn(rules, path.split("/", 1)[0] ?? "");
  const unknown = shipped.filter(({ path }) => !ruled(path))
    .map(({ path }) => `${path}:1 belongs to no member in layers.json; add the member`);
  const cycles = findCycles(shipped).map((cycle) =>
    `cycle: ${cycle}; move the part that both sides need to a third file`
  );
  return [...breaches, ...unknown, ...cycles];
}

/**
 * Returns true if the file is used only by tests. A test file may import anything, but a shipped
 * file must not import a test file.
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

function checkMember(
  member: Member,
  files: readonly SourceFile[],
  rulesText: string,
): string[] {
  const breaches = files.flatMap((file) => {
    const unit = member.unitOf(file.path);
    if (unit === undefined) {
      return [`${file.path}:1 belongs to no unit in layers.json; add its folder`];
    }
    return [
      ...file.imports.flatMap((target) => checkImport(member, file.path, unit, target) ?? []),
      ...checkPlatform(member, file),
    ];
  });
  return [...breaches, ...findStale(member, files, rulesText)];
}

/** Returns the rule violation that an import causes, if any. */
function checkImport(
  member: Member,
  path: string,
  unit: string,
  target: Import,
): string | undefined {
  const { specifier, file, line } = target;
  if (specifier.startsWith("node:")) return undefined;
  if (member.rules.packages?.some((name) => specifier.startsWith(`${name}/`))) return undefined;
  if (file === undefined) return checkDoor(member, path, target);
  const importing = `${formatPlace(path, line)} imports ${file}`;
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

function checkDoor(
  member: Member,
  path: string,
  { specifier, line }: Import,
): string | undefined {
  const dependency = findDoor(member, specifier);
  const importing = `${formatPlace(path, line)} imports "${specifier}"`;
  if (dependency === undefined) {
    return `${importing}, a dependency that layers.json does not list in "doors"`;
  }
  const door = `${member.name}/${member.rules.doors[dependency]}`;
  return isBehind(path, door) ? undefined : `${importing}: only ${door} may import this dependency`;
}

/**
 * Returns the longest name in `doors` that is equal to the specifier or to a parent path of the
 * specifier.
 */
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
  return [...platformApis(file)].filter(([api]) => !listed.includes(api)).map(([api, line]) =>
    `${formatPlace(file.path, line)} uses ${api}, which layers.json does not list for it`
  );
}

/** Returns the platform APIs that a file uses, each with the line of its first use. */
function platformApis({ imports, denoLine }: SourceFile): Map<string, number | undefined> {
  const apis = new Map<string, number | undefined>();
  for (const { specifier, line } of imports) {
    if (specifier.startsWith("node:") && !apis.has(specifier)) apis.set(specifier, line);
  }
  return denoLine === undefined ? apis : apis.set("Deno", denoLine);
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
      return file.dynamicImports.filter(({ specifier }) => !listed.includes(specifier))
        .map(({ specifier, line }) =>
          `${file.path}:${line} calls import(${
            specifier === "*" ? "…" : `"${specifier}"`
          }): write a static import`
        );
    },
  );
}

/** A rule in layers.json. */
interface ListedRule {
  readonly text: string;
  /** The members of layers.json that lead to the rule, without the name of the member. */
  readonly keys: readonly string[];
}

/** Returns the rules that can be removed, because no file needs them. */
function findStale(
  member: Member,
  files: readonly SourceFile[],
  rulesText: string,
): string[] {
  const stale = [
    ...findStaleUnits(member, files),
    ...findStaleDoors(member, files),
    ...findStalePlatform(member, files),
    ...findStaleDynamicImports(member, files),
    ...findStaleFolders(member, files),
    ...findStalePackages(member, files),
  ];
  return stale.map(({ text, keys }) => {
    const place = formatPlace(
      "tools/gates/layers.json",
      findJsonLine(rulesText, [member.name, ...keys]),
    );
    return `${place} lists ${text}, which ${member.name} no longer has; remove it`;
  });
}

function findStaleUnits(member: Member, files: readonly SourceFile[]): ListedRule[] {
  const live = new Set(files.map(({ path }) => member.unitOf(path)));
  return member.units().filter((unit) => !live.has(unit))
    .map((unit) => ({ text: `the unit ${unit}`, keys: [unit] }));
}

function findStaleDoors(member: Member, files: readonly SourceFile[]): ListedRule[] {
  const isUsed = ([name, door]: readonly [string, string]): boolean =>
    files.some(({ path, imports }) =>
      isBehind(path, `${member.name}/${door}`) &&
      imports.some(({ file, specifier }) =>
        file === undefined && findDoor(member, specifier) === name
      )
    );
  return Object.entries(member.rules.doors).filter((entry) => !isUsed(entry))
    .map(([name, door]) => ({ text: `the import of "${name}" in ${door}`, keys: ["doors", name] }));
}

function findStalePlatform(member: Member, files: readonly SourceFile[]): ListedRule[] {
  return Object.entries(member.rules.platform).flatMap(([place, apis]) => {
    const inside = files.filter(({ path }) => isBehind(path, `${member.name}/${place}`));
    const used = new Set(inside.flatMap((file) => [...platformApis(file).keys()]));
    return apis.filter((api) => !used.has(api))
      .map((api) => ({ text: `the use of ${api} in ${place}`, keys: ["platform", place, api] }));
  });
}

function findStaleDynamicImports(member: Member, files: readonly SourceFile[]): ListedRule[] {
  return Object.entries(member.rules.dynamicImports ?? {}).flatMap(([place, listed]) => {
    const file = files.find(({ path }) => path === `${member.name}/${place}`);
    const called = new Set(file?.dynamicImports.map(({ specifier }) => specifier));
    return listed.filter((specifier) => !called.has(specifier)).map((specifier) => ({
      text: `the call import("${specifier}") in ${place}`,
      keys: ["dynamicImports", place, specifier],
    }));
  });
}

function findStaleFolders(member: Member, files: readonly SourceFile[]): ListedRule[] {
  return Object.entries(member.rules.outside ?? {}).flatMap(([unit, folders]) => {
    const targets = files.filter(({ path }) => member.unitOf(path) === unit)
      .flatMap(({ imports }) => imports.flatMap(({ file }) => file ?? []));
    return folders.filter((folder) => !targets.some((target) => target.startsWith(folder)))
      .map((folder) => ({
        text: `the import of ${folder} in ${unit}`,
        keys: ["outside", unit, folder],
      }));
  });
}

function findStalePackages(member: Member, files: readonly SourceFile[]): ListedRule[] {
  const isUsed = (name: string): boolean =>
    files.some(({ imports }) => imports.some(({ specifier }) => specifier.startsWith(`${name}/`)));
  return (member.rules.packages ?? []).filter((name) => !isUsed(name))
    .map((name) => ({ text: `the package ${name}`, keys: ["packages", name] }));
}

/**
 * Returns one cycle for each back edge found by a depth-first search: `a.ts:3 -> b.ts:5 -> a.ts`,
 * with the line of each import.
 */
function findCycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly (readonly [string, number | undefined])[]): void => {
    const start = trail.findIndex(([passed]) => passed === path);
    if (start >= 0) {
      const steps = trail.slice(start).map(([passed, line]) => formatPlace(passed, line));
      cycles.push([...steps, path].join(" -> "));
    }
    const file = byPath.get(path);
    if (start >= 0 || done.has(path) || file === undefined) return;
    for (const { file: next, line } of file.imports) {
      if (next !== undefined) visit(next, [...trail, [path, line]]);
    }
    done.add(path);
  };
  for (const path of byPath.keys()) visit(path, []);
  return cycles;
}
