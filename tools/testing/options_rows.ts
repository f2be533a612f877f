/**
 * Generates the tests of public options objects. Every exported options type of a member needs a
 * row.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { findNearest } from "@parley/internal/options";
import { type OptionType, readOptionTypes } from "./option_types.ts";

/** A function that reads an options object, with options for which the function succeeds. */
export interface ReadRow {
  /** Name of the options type. */
  readonly type: string;
  /**
   * The options object, as error messages name it.
   *
   * @default {"options"}
   */
  readonly at?: string;
  /**
   * Names of the members, with `?` after the name of an optional member. Required only if the type
   * is a union, whose members are not read from the documentation.
   */
  readonly members?: readonly string[];
  /** Returns options for which the call succeeds: at least the required options. */
  readonly valid: () => object;
  /**
   * Calls the function with options. A returned object that has a method `close` or
   * `Symbol.asyncDispose` is closed.
   */
  readonly call: (options: never) => unknown;
}

/** An options type whose unknown names are accepted. */
export interface OpenRow {
  /** Name of the options type. */
  readonly type: string;
  /** Reason why unknown names are accepted. */
  readonly open: string;
}

/** A row of the table of options types. */
export type OptionsRow = ReadRow | OpenRow;

/** A name that no options type has and that resembles none of their names. */
const FOREIGN = "qqqqq_0123456789";

/**
 * Declares the tests of the options types of a member: each type has a row, a misspelled name is
 * refused with the right name, an object with more members is refused, a member that is
 * `undefined` is the same as an absent member, and inherited members are read.
 *
 * @param others Names of options types that do not have one of the usual endings.
 */
export function testOptions(
  folder: string,
  rows: readonly OptionsRow[],
  others: readonly string[] = [],
): void {
  let reading: Promise<ReadonlyMap<string, OptionType>> | undefined;
  // A test starts the process that reads the types, because a test must not end a process that it
  // has not started.
  const readTypes = (): Promise<ReadonlyMap<string, OptionType>> =>
    reading ??= readOptionTypes(folder, others);
  Deno.test(`every options type of ${folder} has one reader or a reason`, async () => {
    const names = rows.map(({ type }) => type);
    assertEquals(names.toSorted(), [...(await readTypes()).keys()].toSorted());
    for (const row of rows) if ("open" in row) assert(row.open.length > 20, row.type);
  });
  for (const row of rows) {
    if ("open" in row) continue;
    Deno.test(`${row.type} refuses a misspelled name and names the right one`, async () => {
      await testMisspelling(row, typeOf(await readTypes(), row));
    });
    Deno.test(`${row.type} refuses a larger object with the name of the member`, async () => {
      const error = await assertRejects(() => callWith(row, { [FOREIGN]: 1 }), TypeError);
      assertStarts(error, row, FOREIGN);
    });
    Deno.test(`${row.type} treats undefined as absent`, async () => {
      await callWith(row, { [FOREIGN]: undefined });
      await testUndefined(row, typeOf(await readTypes(), row));
    });
    Deno.test(`${row.type} reads inherited members`, async () => {
      await callAndClose(row, Object.create(row.valid()));
      const error = await assertRejects(
        () => callAndClose(row, Object.create({ ...row.valid(), [FOREIGN]: 1 })),
        TypeError,
      );
      assertStarts(error, row, FOREIGN);
    });
  }
}

function typeOf(
  types: ReadonlyMap<string, OptionType>,
  { type, members = [] }: ReadRow,
): OptionType {
  const found = types.get(type);
  if (found === undefined) throw new Error(`${type} is not exported`);
  const named = members.map((name) =>
    [name.replace("?", ""), { isOptional: name.endsWith("?") }] as const
  );
  return { ...found, members: new Map([...found.members, ...named]) };
}

async function testMisspelling(row: ReadRow, { members }: OptionType): Promise<void> {
  const names = [...members.keys()];
  assert(names.length > 0, `the members of ${row.type} are unknown`);
  for (const name of names) {
    // Short names have too few letters for a misspelling that resembles only one name.
    if (name.length < 4) continue;
    const exchanged = `${name.slice(0, -2)}${name.at(-1)}${name.at(-2)}`;
    // After the exchange, the name may be as near to another name: `signasl` is as near to `signal`
    // as to `signals`.
    const misspelled = findNearest(exchanged, names) === name ? exchanged : name.toUpperCase();
    if (names.includes(misspelled)) continue;
    const error = await assertRejects(() => callWith(row, { [misspelled]: 1 }), TypeError);
    assertStarts(error, row, misspelled);
    assert(error.message.includes(`did you mean "${name}"?`), error.message);
  }
}

async function testUndefined(row: ReadRow, { members }: OptionType): Promise<void> {
  for (const [name, { isOptional }] of members) {
    if (isOptional) await callWith(row, { [name]: undefined });
    else {
      const error = await assertRejects(() => callWith(row, { [name]: undefined }), Error);
      assert(error instanceof TypeError || error instanceof RangeError, `${row.type}: ${error}`);
      assert(error.message.includes(name), error.message);
    }
  }
}

function assertStarts({ message }: Error, { at = "options" }: ReadRow, name: string): void {
  const start = `"${at}" must have only known options, got "${name}"; `;
  assert(message.startsWith(start), message);
}

/**
 * Calls the function of a row with the valid options and more members, and closes what the call
 * returns.
 */
async function callWith(row: ReadRow, more: object): Promise<void> {
  await callAndClose(row, { ...row.valid(), ...more });
}

/** Calls the function of a row, and closes what the call returns. */
async function callAndClose(row: ReadRow, options: object): Promise<void> {
  const result: unknown = await Reflect.apply(row.call, undefined, [options]);
  if (typeof result !== "object" || result === null) return;
  const dispose = Reflect.get(result, Symbol.asyncDispose) ?? Reflect.get(result, "close");
  if (typeof dispose === "function") await Reflect.apply(dispose, result, []);
}
