/**
 * How a server is set up.
 *
 * @module
 */

import type { Implementation } from "../protocol/capabilities.ts";
import type { CacheHint } from "../protocol/modern.ts";
import type { ServerExtension } from "./extension.ts";
import type { RequestStateOptions } from "./request_state.ts";
import type { SchemaValidator } from "./schema.ts";

/** How a server is set up: who it is, and what is to be other than usual. */
export interface McpServerConfig extends Implementation {
  /** How to use the server, for the client's model. */
  readonly instructions?: string;
  /** How many items a page of a list has. Default 1000: some clients read one page only. */
  readonly pageSize?: number;
  /** How long clients may keep lists and resources. Default: not at all. */
  readonly cache?: CacheHint;
  /**
   * Validator for JSON Schema. If omitted, {@linkcode jsonSchemaValidator} with its default limits. Standard Schemas
   * validate themselves.
   */
  readonly validator?: SchemaValidator;
  /** How what clients carry from one round to the next is sealed. Set a key when several processes serve together. */
  readonly requestState?: RequestStateOptions;
  /** How many notifications one request may have waiting for a slow client. More are dropped. Default 1000. */
  readonly maxQueuedNotifications?: number;
  /** How many `subscriptions/listen` streams may be open at once. Default 1024. */
  readonly maxSubscriptionStreams?: number;
  /** How many of those may be one principal's, where they are known: a part from 0 to 1. Default a quarter. */
  readonly maxSharePerPrincipal?: number;
  /** How many resources one of them may follow. Default 1000. */
  readonly maxResourceSubscriptions?: number;
  /** Extensions of the protocol. */
  readonly extensions?: readonly ServerExtension[];
  /** Hears of failures that clients are told nothing about. Default: nobody does. */
  readonly onError?: (error: unknown) => void;
}

/** Refuses a key of another length. */
export function assertKey(key?: Uint8Array): void {
  if (key === undefined || key.length === 32) return;
  throw new RangeError(`"requestState.key" must have 32 bytes, got ${key.length}`);
}

/** Refuses a name that is none. */
export function assertNonEmptyString(name: string, value: unknown): void {
  if (typeof value === "string" && value !== "") return;
  const actual = value === "" ? "an empty string" : typeof value;
  throw new TypeError(`"${name}" must be a non-empty string, got ${actual}`);
}

/** Refuses a limit that is no positive integer. */
export function assertLimit(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RangeError(`"${name}" must be a positive integer, got ${value}`);
}

/**
 * Looks at what part of a limit one principal may have.
 *
 * @throws {RangeError} when it is no part
 */
export function assertShare(share: number): void {
  if (share > 0 && share <= 1) return;
  throw new RangeError(
    `"maxSharePerPrincipal" must be greater than 0 and at most 1, got ${share}`,
  );
}
