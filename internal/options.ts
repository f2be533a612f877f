/**
 * Readers of options objects. Each public options object is read once, where it enters the package.
 *
 * A reader treats `undefined` as absent, checks each value, fills in the defaults, and rejects a
 * name that no option has. A misspelled option would otherwise be ignored, and a limit or a check
 * that the caller believes to be active would not exist.
 *
 * {@linkcode optionsReader} does all of this from a table. A function that is called very often
 * destructures its options instead, and calls {@linkcode assertNames}, which takes about a sixth of
 * the time.
 *
 * @module
 */

import { assertObject } from "./assert_argument.ts";
import { formatValue } from "./format_value.ts";

/**
 * Options of other libraries, each with the option of this library to suggest or, if the text
 * contains a space, with a remedy as an imperative phrase. The error for an option in snake case
 * suggests what the table contains for the option in camel case.
 */
export type Aliases = Readonly<Record<string, string>>;

/** Throws if the value of an option is not valid. `name` is the option, as the caller spells it. */
export type OptionCheck = (name: string, value: unknown) => void;

/** The rule for an option that has a default. */
export interface DefaultRule<Value> {
  readonly check: OptionCheck;
  readonly initial: Value;
}

/** The rule for an option that must be set. */
export interface RequiredRule {
  readonly check: OptionCheck;
  readonly isRequired: true;
}

/** Names of the optional members of a type. */
type OptionalName<Options> = {
  [Name in keyof Options]-?: Record<never, never> extends Pick<Options, Name> ? Name : never;
}[keyof Options];

/** One rule for each option of a type. The compiler reports an option without a rule. */
export type OptionRules<Options> = {
  readonly [Name in keyof Options]-?: Name extends OptionalName<Options>
    ? OptionCheck | DefaultRule<Exclude<Options[Name], undefined>>
    : RequiredRule;
};

/**
 * The type of the rules, for which the compiler reports a rule for a name that is not an option.
 */
export type OnlyOptions<Rules, Options> =
  & Rules
  & Readonly<Record<Exclude<keyof Rules, keyof Options>, never>>;

/** Names of the rules that contain a default. */
export type DefaultName<Rules> = {
  [Name in keyof Rules]: Rules[Name] extends DefaultRule<unknown> ? Name : never;
}[keyof Rules];

/**
 * The object that a reader returns. Required options and options with a default are not
 * `undefined`.
 *
 * @typeParam Defaults Names of the options that have a default.
 */
export type Settings<Options, Defaults> = {
  readonly [Name in keyof Options]-?: Name extends Exclude<OptionalName<Options>, Defaults>
    ? Options[Name] | undefined
    : Exclude<Options[Name], undefined>;
};

/**
 * Reads an options object.
 *
 * @param at Name of the object in error messages. If omitted, the name is that of the reader.
 * @throws {TypeError} If the value is not an object, contains a name that is not an option, or
 * lacks a required option.
 */
export type OptionsReader<Options, Defaults> = (
  options: Options,
  at?: string,
) => Settings<Options, Defaults>;

/** An option with its rule. */
interface Row {
  readonly name: string;
  readonly check: OptionCheck;
  readonly initial: unknown;
  readonly isRequired: boolean;
}

/**
 * Names of parameters. Errors name their members without a path: `timeoutMs`, not
 * `options.timeoutMs`.
 */
const ARGUMENTS: ReadonlySet<string> = new Set(["options", "config"]);

/** Returns the rule for an option that has a default. */
export function withDefault<const Value>(initial: Value, check: OptionCheck): DefaultRule<Value> {
  return { check, initial };
}

/**
 * Returns the rule for an option that must be set. The check is also called if the option is
 * absent.
 */
export function required(check: OptionCheck): RequiredRule {
  return { check, isRequired: true };
}

/**
 * Returns a function that accepts the rules for an options type and returns the reader. Two calls
 * are necessary because the compiler infers the type of the rules only if all type arguments of a
 * call are inferred.
 *
 * @param name Name of the object in error messages, for example `options` or `policy`.
 * @param aliases Options of other libraries.
 */
export function optionsReader<Options extends object>(
  name: string,
  aliases: Aliases = {},
): <const Rules extends OptionRules<Options>>(
  rules: OnlyOptions<Rules, Options>,
) => OptionsReader<Options, DefaultName<Rules>> {
  return <const Rules extends OptionRules<Options>>(
    rules: OnlyOptions<Rules, Options>,
  ): OptionsReader<Options, DefaultName<Rules>> => {
    const rows = Object.entries<OptionCheck | DefaultRule<unknown> | RequiredRule>(rules).map(
      toRow,
    );
    const names: ReadonlySet<string> = new Set(rows.map((row) => row.name));
    // The spread is necessary: without it, V8 stores the members in a dictionary, and reading 47
    // options takes 6 µs longer.
    const defaults = { ...Object.fromEntries(rows.map((row) => [row.name, row.initial])) };
    return (options, at = name) => {
      assertObject(at, options);
      assertNames(at, options, names, aliases);
      const settings: Record<string, unknown> = { ...defaults };
      for (const { name, check, isRequired } of rows) {
        const value: unknown = Reflect.get(options, name);
        if (value === undefined && !isRequired) continue;
        check(ARGUMENTS.has(at) ? name : `${at}.${name}`, value);
        settings[name] = value;
      }
      // The cast is safe: there is a rule for each option, and its check accepted the value.
      return settings as Settings<Options, DefaultName<Rules>>;
    };
  };
}

function toRow(
  [name, rule]: readonly [string, OptionCheck | DefaultRule<unknown> | RequiredRule],
): Row {
  if (typeof rule === "function") {
    return { name, check: rule, initial: undefined, isRequired: false };
  }
  const initial = "initial" in rule ? rule.initial : undefined;
  return { name, check: rule.check, initial, isRequired: "isRequired" in rule };
}

/**
 * Returns the names of all options of a type. A call does not compile if a name is missing or is
 * not an option.
 */
export function namesOf<Options>(
  names: Readonly<Record<keyof Options, true>>,
): ReadonlySet<string> {
  return new Set(Object.keys(names));
}

/**
 * Throws if an options object contains a name that no option has. Inherited members count, and
 * members whose value is `undefined` do not.
 *
 * @param at The object, as the caller spells it.
 * @throws {TypeError} If there is such a name. The message suggests the nearest option.
 */
export function assertNames(
  at: string,
  options: object,
  names: ReadonlySet<string>,
  aliases: Aliases = {},
): void {
  for (const name in options) {
    if (names.has(name) || Reflect.get(options, name) === undefined) continue;
    throw new TypeError(
      `"${at}" must have only known options, got ${formatValue(name)}; ${
        suggest(name, [...names], aliases)
      }`,
    );
  }
}

function suggest(
  name: string,
  names: readonly string[],
  aliases: Aliases,
): string {
  // The first member of an `AbortSignal`, which a caller can pass in place of the options.
  if (name === "aborted" && names.includes("signal")) return "pass { signal }";
  const hint = hintFor(name, aliases) ?? findNearest(name, names);
  if (hint !== undefined) return hint.includes(" ") ? hint : `did you mean "${hint}"?`;
  return names.length === 0 ? "there are no options" : `the options are ${names.join(", ")}`;
}

/** Returns what a table contains for a name in camel case or snake case. */
function hintFor(name: string, aliases: Aliases): string | undefined {
  const camel = name.replace(/_+([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const known = [name, camel].find((each) => Object.hasOwn(aliases, each));
  return known === undefined ? undefined : aliases[known];
}

/** A member of an object that has no effect. */
export interface IgnoredMember {
  readonly name: string;
  /** What to use instead. */
  readonly remedy: string;
}

/** Names with which {@linkcode findIgnored} compares the members of an object. */
export interface MemberNames {
  /** Names of all members that have an effect. */
  readonly known: ReadonlySet<string>;
  /** Known names that must not be misspelled. */
  readonly names: readonly string[];
  /** Names of other libraries. */
  readonly aliases: Aliases;
}

/**
 * Finds a member that the author of an object believes to have an effect. The object can have other
 * members, so only names in the table of aliases, and misspellings of these or of some known names,
 * are found. Inherited members count, and members whose value is `undefined` do not.
 */
export function findIgnored(
  object: object,
  { aliases, known, names }: MemberNames,
): IgnoredMember | undefined {
  const candidates = [...names, ...Object.keys(aliases)];
  for (const name in object) {
    if (known.has(name) || Reflect.get(object, name) === undefined) continue;
    const near = hintFor(name, aliases) === undefined ? findNearest(name, candidates) : name;
    if (near !== undefined) return { name, remedy: suggest(near, names, aliases) };
  }
  return undefined;
}

/**
 * Returns the name that differs from a name in the fewest letters, ignoring case. At most a third
 * of the letters, or one letter, may differ.
 */
export function findNearest(name: string, names: readonly string[]): string | undefined {
  // A longer name is not a misspelling of an option, and comparing it could take long.
  if (name.length > 100) return undefined;
  let nearest: string | undefined;
  let fewest = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    const edits = countEdits(name.toLowerCase(), candidate.toLowerCase());
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = candidate;
  }
  return nearest;
}

/**
 * Returns the optimal string alignment distance: the number of insertions, deletions, replacements
 * and exchanges of adjacent letters that turn one text into the other.
 */
function countEdits(from: string, to: string): number {
  const row = (length: number): number[] => Array.from({ length: length + 1 }, () => 0);
  let beforePrevious = row(to.length);
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const current = row(to.length);
    current[0] = i;
    for (let j = 1; j <= to.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const inserted = (current[j - 1] ?? 0) + 1;
      const removed = (previous[j] ?? 0) + 1;
      const isExchange = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const exchanged = isExchange ? (beforePrevious[j - 2] ?? 0) + 1 : Infinity;
      current[j] = Math.min(replaced, inserted, removed, exchanged);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
