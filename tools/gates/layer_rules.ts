/**
 * Who may import whom: judges a graph of source files by the rules in layers.json.
 *
 * A unit is a file at the top of a member (`loop.ts`) or a folder (`stream/`). Every unit stands in exactly one rule.
 *
 * @module
 */

/** One import, with the file it leads to when that is one of the repository's own. */
export interface Import {
  /** As written: `./queue.ts`, `@std/assert`, `node:fs`. */
  readonly specifier: string;
  /** Path below the repository's root. */
  readonly file?: string;
}

/** One source file of a member. */
export interface SourceFile {
  /** Path below the repository's root, such as `mcp/jsonrpc/read_frame.ts`. */
  readonly path: string;
  /** Types and dynamic imports included. */
  readonly imports: readonly Import[];
  /** Whether its code names the global `Deno`. */
  readonly usesDeno: boolean;
}

/** The rules of one member. */
export interface MemberRules {
  /** Ranks of units, lowest first; a unit may import its own rank and all below. */
  readonly order?: readonly (readonly string[])[];
  /** Units that every unit in `uses` may import; each of them may import the ones before it. */
  readonly common?: readonly string[];
  /** A unit and the units it may import beside itself; `*` is all of the member, `*.ts` every other file at its top. */
  readonly uses?: Readonly<Record<string, readonly string[]>>;
  /** A dependency (or one of its sub-paths) and the only file or folder that may import it. */
  readonly doors: Readonly<Record<string, string>>;
  /** A file or folder and the platform APIs it may use: `Deno` or a `node:` module. */
  readonly platform: Readonly<Record<string, readonly string[]>>;
  /** Units that may import the other members. */
  readonly members?: readonly string[];
}

/** The rules by member. */
export type LayerRules = Readonly<Record<string, MemberRules>>;

/** Every breach of the rules, one line each; none when the graph is right. */
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

/** Whether this file is for tests only; such a file may import anything, and nothing shipped may import it. */
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

  /** The unit that a path of this member belongs to. */
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
    return allowed.length === 0 ? "nothing else" : allowed.join(", ");
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

/** What is wrong with one import, or undefined. */
function checkImport(
  member: Member,
  path: string,
  unit: string,
  { specifier, file }: Import,
): string | undefined {
  if (specifier.startsWith("node:")) return undefined;
  if (file === undefined) return checkDoor(member, path, specifier);
  const importing = `${path} imports ${file}`;
  if (isTest(file)) return `${importing}: nothing shipped may import a test file`;
  if (!file.startsWith(`${member.name}/`)) {
    if (member.rules.members?.includes(unit)) return undefined;
    return `${importing}: ${member.name}/ imports nothing of the repository outside itself`;
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
    return `${path} imports "${specifier}", a dependency without a door in layers.json`;
  }
  const door = `${member.name}/${member.rules.doors[dependency]}`;
  if (isBehind(path, door)) return undefined;
  return `${path} imports "${specifier}": its only door is ${door}`;
}

/** The longest dependency in the rules that the specifier is, or is a sub-path of. */
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

/** Rules that nothing needs any more. */
function findStale(member: Member, files: readonly SourceFile[]): string[] {
  const { doors, platform } = member.rules;
  const live = new Set(files.map(({ path }) => member.unitOf(path)));
  const units = member.units().filter((unit) => !live.has(unit)).map((unit) => `unit ${unit}`);
  const unused = Object.entries(doors).filter(([name, door]) =>
    !files.some(({ path, imports }) =>
      isBehind(path, `${member.name}/${door}`) &&
      imports.some((target) =>
        target.file === undefined && findDoor(member, target.specifier) === name
      )
    )
  ).map(([name, door]) => `door ${door} of "${name}"`);
  const quiet = Object.entries(platform).flatMap(([place, apis]) => {
    const inside = files.filter(({ path }) => isBehind(path, `${member.name}/${place}`));
    const used = inside.flatMap(platformApis);
    return apis.filter((api) => !used.includes(api)).map((api) => `use of ${api} in ${place}`);
  });
  return [...units, ...unused, ...quiet]
    .map((rule) => `layers.json is stale: ${member.name} has no ${rule}`);
}

/** One cycle for each way back to a file that a depth-first walk finds. */
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
