/**
 * The party on whose behalf a run is executed.
 *
 * @module
 */

/** Maximum length of a party, in UTF-16 code units. */
const MAX_PARTY_LENGTH = 256;

/** Requirement for a party, for error messages. */
export const PARTY_REQUIREMENT: string = `a string of 1 to ${MAX_PARTY_LENGTH} characters`;

/** Returns true if a value can be the party of a run. */
export function isParty(value: unknown): value is string {
  return typeof value === "string" && value.length >= 1 && value.length <= MAX_PARTY_LENGTH;
}
