/**
 * Rejects unknown names in options objects of the kit. A misspelled option, such as `isstrict`,
 * would otherwise make a run less strict than the caller believes.
 *
 * @module
 */

import { KitError, KitErrorCode } from "./error.ts";

/** One entry for each option of a type. An object of this type compiles only if it is complete. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true };

/**
 * Throws if an object has a member that is neither listed nor `undefined`.
 *
 * @param at The object, as the caller spells it.
 * @throws {KitError} With code `usage` if there is such a member. The message lists the options.
 */
export function assertKnownNames<Options extends object>(
  at: string,
  options: Options,
  names: OptionNames<Options>,
): void {
  for (const name in options) {
    if (Object.hasOwn(names, name) || Reflect.get(options, name) === undefined) continue;
    const known = Object.keys(names).join(", ");
    throw new KitError(
      KitErrorCode.Usage,
      `Cannot read "${at}": it has no option ${JSON.stringify(name)}; the options are ${known}`,
    );
  }
}
