/**
 * Decisions that are passed to a resumed run, and the keys that bind each decision to one tool
 * call.
 *
 * @module
 */

import { encodeBase64 } from "@parley/internal/base64";
import { assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { isPlainObject, isRecord, type UnknownRecord } from "@parley/internal/json";
import { assertNames } from "@parley/internal/options";
import { DECISION_ALIASES } from "../shared/aliases.ts";
import { MAX_JSON_DEPTH } from "../shared/json.ts";
import type { ToolCall } from "../shared/model.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import {
  type ApprovalDecision,
  type ApprovalRequest,
  DECISION_NAMES,
  readApprovalDecision,
} from "./approval.ts";

/** Number of hash bytes in a digest. */
const DIGEST_BYTES = 16;

/**
 * Returns the digest of a tool call: the first 16 bytes of the SHA-256 hash of `[toolName, input]`,
 * followed by further values, as base64url. The hash is computed over JSON text without whitespace,
 * with the members of every object sorted by name (RFC 8785).
 *
 * @param shown Further values that the digest covers.
 */
export async function digestOf(
  { toolName, input }: ToolCall,
  ...shown: readonly unknown[]
): Promise<string> {
  return await digestOfJson(JSON.parse(JSON.stringify([toolName, input, ...shown])));
}

/** Returns the digest of a tool call and of the tool as it is shown to the person who decides. */
export async function digestOfShown(toolCall: ToolCall, entry: RegisteredTool): Promise<string> {
  const { removals = 0 } = entry.identity ?? {};
  // In a program that does not remove tools, the digest does not depend on the registry.
  const replaced = removals === 0 ? [] : [removals];
  return await digestOf(toolCall, shownTool(entry), ...replaced);
}

/** Returns a tool as it is shown to the person who decides. */
export function shownTool(
  { definition, tool: { annotations } }: RegisteredTool,
): ApprovalRequest["tool"] {
  return annotations === undefined ? definition : { ...definition, annotations };
}

/** Returns the first 16 bytes of the SHA-256 hash of a JSON value, as base64url. */
export async function digestOfJson(data: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(formatSorted(data));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const base64 = encodeBase64(hash.subarray(0, DIGEST_BYTES));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Reads a decision and copies its input, so that later changes to the decision have no effect.
 *
 * @param name Name of the decision in error messages.
 * @param value Untrusted value to read.
 * @returns The decision, or `undefined` if the value is not a valid decision.
 * @throws {TypeError} If the decision has an unknown member, or if its input contains anything
 * other than JSON, dates, bytes and URLs, or is nested too deeply.
 */
export function copyDecision(name: string, value: unknown): ApprovalDecision | undefined {
  const decision = readApprovalDecision(value);
  if (decision === undefined && isRecord(value)) {
    // The error names the unknown member.
    assertNames(name, { ...value }, DECISION_NAMES, DECISION_ALIASES);
  }
  return decision && "input" in decision
    ? { ...decision, input: copyInput(decision.input) }
    : decision;
}

/** Copies input from a decision or a repair, which a tool may modify. */
export function copyInput(input: unknown): unknown {
  return fromStepValue(toStepValue(input, MAX_JSON_DEPTH));
}

/**
 * Asserts that a value contains decisions.
 *
 * @throws {TypeError} If the value is not an object that contains decisions.
 */
export function assertDecisions(name: string, decisions: unknown): void {
  assertRecord(name, decisions);
  // The members of a map are not its entries, so its decisions would have no effect.
  if (!isPlainObject(decisions)) rejectArgument(name, "a plain object", decisions);
  readDecisions(name, decisions);
}

function readDecisions(
  name: string,
  decisions: UnknownRecord,
): ReadonlyMap<string, ApprovalDecision> {
  return new Map(
    Object.entries(decisions).map(([key, value]) => {
      const path = `${name}[${JSON.stringify(key)}]`;
      const decision = copyDecision(path, value);
      return decision === undefined
        ? rejectArgument(path, "an ApprovalDecision", value)
        : [key, decision];
    }),
  );
}

/** The decisions of a run. Tracks which decisions have been used. */
export class Decisions {
  readonly #decisions: ReadonlyMap<string, ApprovalDecision>;
  readonly #unused: Set<string>;

  /** @throws {TypeError} If a value is not a decision. */
  constructor(decisions: Readonly<Record<string, ApprovalDecision>>) {
    this.#decisions = readDecisions("decisions", decisions);
    this.#unused = new Set(this.#decisions.keys());
  }

  /** Keys of all decisions. */
  get keys(): readonly string[] {
    return [...this.#decisions.keys()];
  }

  /** Keys of the unused decisions. */
  get unused(): readonly string[] {
    return [...this.#unused];
  }

  /** Returns the decision with the given key and marks it as used. */
  take(key: string): ApprovalDecision | undefined {
    this.#unused.delete(key);
    return this.#decisions.get(key);
  }

  /** Returns the keys of the unused decisions that start with a prefix. */
  unusedBelow(prefix: string): readonly string[] {
    return this.unused.filter((key) => key.startsWith(prefix));
  }

  /**
   * Returns the decisions for the runs inside a tool call or workflow step, and marks them as used.
   */
  takeAll(prefix: string): Readonly<Record<string, ApprovalDecision>> {
    const entries = [...this.#decisions].filter(([key]) => key.startsWith(prefix));
    for (const [key] of entries) this.#unused.delete(key);
    return Object.fromEntries(entries);
  }
}
