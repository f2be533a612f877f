/**
 * Finds the exported types of options objects, and the names of their members, in the output of
 * `deno doc`.
 *
 * @module
 */

import { run } from "../cli.ts";
import { readMembers, ROOT } from "../members.ts";

/** An exported type of options. */
export interface OptionType {
  readonly name: string;
  /** File and line of the declaration, relative to the repository. */
  readonly place: string;
  /**
   * Names of the members, and whether each is optional. For a union, the members that all branches
   * share.
   */
  readonly members: ReadonlyMap<string, { readonly isOptional: boolean }>;
}

/** The part of a type in `deno doc --json` that this module reads. */
interface DocType {
  readonly kind: string;
  readonly repr?: string;
  readonly value?: unknown;
}

interface Property {
  readonly name: string;
  readonly optional?: boolean;
}

interface Declaration {
  readonly kind: string;
  readonly location: { readonly filename: string; readonly line: number };
  readonly def?: {
    readonly extends?: readonly DocType[];
    readonly properties?: readonly Property[];
    readonly methods?: readonly Property[];
    readonly tsType?: DocType;
  };
}

/** The part of `deno doc --json` that this module reads. */
export interface OptionDoc {
  readonly nodes: Readonly<
    Record<string, {
      readonly symbols: readonly {
        readonly name: string;
        readonly declarations: readonly Declaration[];
      }[];
    }>
  >;
}

type Members = ReadonlyMap<string, { readonly isOptional: boolean }>;

/** Endings of the names of options types. */
const OPTION_TYPE = /(?:Options|Config|Policy|Limits|Handlers|Init|Params|Settings)$/;

const NO_MEMBERS: Members = new Map();

/**
 * Returns the types of options that the entry points of a member export, by name.
 *
 * @param folder Folder of the member.
 * @param others Names of options types that do not have one of the usual endings.
 */
export async function readOptionTypes(
  folder: string,
  others: readonly string[] = [],
): Promise<ReadonlyMap<string, OptionType>> {
  const member = (await readMembers()).find((each) => each.folder === folder);
  if (member === undefined) throw new Error(`There is no member "${folder}"`);
  const entries = [...member.exports.values()].filter((file) => file.endsWith(".ts"));
  const files = entries.map((file) => `${folder}/${file}`);
  const { stdout } = await run("deno", ["doc", "--json", ...files], { cwd: ROOT });
  return findOptionTypes(JSON.parse(stdout), ROOT.href, others);
}

/** Returns the types of options in the output of `deno doc`, by name. */
export function findOptionTypes(
  doc: OptionDoc,
  root: string,
  others: readonly string[] = [],
): ReadonlyMap<string, OptionType> {
  const declared = new Map<string, Declaration>();
  for (const { symbols } of Object.values(doc.nodes)) {
    for (const { name, declarations } of symbols) {
      for (const each of declarations) {
        if (each.kind === "interface" || each.kind === "typeAlias") declared.set(name, each);
      }
    }
  }
  const found = new Map<string, OptionType>();
  for (const [name, { location, def }] of declared) {
    if (!OPTION_TYPE.test(name) && !others.includes(name)) continue;
    const place = `${location.filename.replace(root, "")}:${location.line + 1}`;
    const members = def?.tsType === undefined
      ? membersOfInterface(def, declared)
      : membersOf(def.tsType, declared);
    found.set(name, { name, place, members });
  }
  return found;
}

function membersOfInterface(
  def: Declaration["def"],
  declared: ReadonlyMap<string, Declaration>,
): Members {
  const own = [...def?.properties ?? [], ...def?.methods ?? []];
  return new Map([
    ...(def?.extends ?? []).flatMap((base) => [...membersOf(base, declared)]),
    ...own.map(({ name, optional = false }) => [name, { isOptional: optional }] as const),
  ]);
}

function membersOf(type: DocType, declared: ReadonlyMap<string, Declaration>): Members {
  const value = Object(type.value);
  switch (type.kind) {
    case "intersection":
      return new Map(partsOf(value).flatMap((part) => [...membersOf(part, declared)]));
    case "union":
      return commonMembers(partsOf(type.value).map((part) => membersOf(part, declared)));
    case "typeLiteral":
      return membersOfInterface(value, declared);
    case "typeRef":
      return membersOfReference(value, declared);
    default:
      return NO_MEMBERS;
  }
}

/** Returns the members that all types have, and that are optional in all or in none of them. */
function commonMembers([first = NO_MEMBERS, ...others]: readonly Members[]): Members {
  return new Map(
    [...first].filter(([name, { isOptional }]) =>
      others.every((other) => other.get(name)?.isOptional === isOptional)
    ),
  );
}

function membersOfReference(
  { typeName, typeParams = [] }: { typeName: string; typeParams?: readonly DocType[] },
  declared: ReadonlyMap<string, Declaration>,
): Members {
  const [first, second] = typeParams;
  const base = first === undefined ? NO_MEMBERS : membersOf(first, declared);
  const names = second === undefined ? [] : literalsOf(second);
  switch (typeName) {
    case "Readonly":
      return base;
    case "Partial":
      return new Map([...base].map(([name]) => [name, { isOptional: true }]));
    case "Required":
      return new Map([...base].map(([name]) => [name, { isOptional: false }]));
    case "Omit":
      return new Map([...base].filter(([name]) => !names.includes(name)));
    case "Pick":
      return new Map([...base].filter(([name]) => names.includes(name)));
    default: {
      const target = declared.get(typeName);
      if (target?.def === undefined) return NO_MEMBERS;
      const { tsType } = target.def;
      return tsType === undefined
        ? membersOfInterface(target.def, declared)
        : membersOf(tsType, declared);
    }
  }
}

/** Returns the strings in a literal type or in a union of literal types. */
function literalsOf({ kind, value }: DocType): string[] {
  if (kind === "union") return partsOf(value).flatMap(literalsOf);
  const { string } = Object(value);
  return kind === "literal" && typeof string === "string" ? [string] : [];
}

function partsOf(value: unknown): readonly DocType[] {
  return Array.isArray(value) ? value : [];
}
