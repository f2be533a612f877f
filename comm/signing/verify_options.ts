/**
 * Options that all functions that verify messages have.
 *
 * @module
 */

import { assertMethods, assertObject, rejectArgument } from "@parley/internal/assert-argument";
import { assertNames } from "@parley/internal/options";
import { isDid } from "../did/did.ts";
import type { KeyRelationship } from "../did/document.ts";

/** Value of `recipient` with which messages for any recipient are accepted. */
export const ANY_RECIPIENT = "any";

/** Default maximum clock skew, in milliseconds. */
export const DEFAULT_CLOCK_SKEW_MS = 60_000;

/** Default maximum age of a message, in milliseconds. */
export const DEFAULT_MAX_AGE_MS = 300_000;

/** Default verification relationship. */
export const DEFAULT_RELATIONSHIP: KeyRelationship = "authentication";

/** Throws a `TypeError` unless a value is a DID. */
export function assertDid(name: string, value: unknown): void {
  if (!isDid(value)) rejectArgument(name, "a DID", value);
}

/** Throws a `TypeError` unless a value is a DID or `any`. */
export function assertRecipientOption(name: string, value: unknown): void {
  if (value === ANY_RECIPIENT || isDid(value)) return;
  rejectArgument(name, `a DID or "${ANY_RECIPIENT}"`, value);
}

/** Throws a `TypeError` unless a value is a DID resolver. */
export function assertResolver(name: string, value: unknown): void {
  assertMethods(name, "a DID resolver", value, ["resolve"]);
}

/** Throws a `TypeError` that names `recipient` if the options are omitted. */
export function assertRecipientIsSet(options: unknown): void {
  if (options === undefined) assertRecipientOption("recipient", undefined);
}

/**
 * Throws a `TypeError` unless the options contain a valid recipient and no unknown name.
 *
 * @param names Names of the options.
 */
export function assertVerifyOptions(
  options: { readonly recipient: string },
  names: ReadonlySet<string>,
): void {
  assertRecipientIsSet(options);
  assertObject("options", options);
  assertNames("options", options, names);
  assertRecipientOption("recipient", options.recipient);
}
