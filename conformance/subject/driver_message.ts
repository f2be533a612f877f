/**
 * Validates a driver's messages.
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import type { Implementation } from "../kit/report.ts";

/** A driver's hello message. */
export interface DriverHello {
  /** Implementation under test. */
  readonly implementation: Implementation;
  /** Implemented operations. */
  readonly ops: ReadonlySet<string>;
  /** Supported features. */
  readonly features: ReadonlySet<string>;
  /** Transports that the MCP client supports. */
  readonly transports: ReadonlySet<string>;
}

/** Result of an operation. */
export type OpOutcome =
  | { readonly ok: unknown }
  | { readonly error: OpError }
  | { readonly fault: { readonly message: string; readonly trace?: string } }
  | { readonly unsupported: { readonly reason: string } };

/** An error reported by the library. */
export interface OpError {
  /** The library's error code. */
  readonly code: string;
  /** The library's error message. */
  readonly message?: string;
  /** Additional data. */
  readonly data?: unknown;
}

/**
 * A message from a driver. If a hello message is invalid, `hello` is a description of the
 * violation.
 */
export type DriverMessage =
  | { readonly type: "hello"; readonly hello: DriverHello | string }
  | { readonly type: "result"; readonly seq: number; readonly outcome: OpOutcome }
  | { readonly type: "call"; readonly call: number; readonly fn: string; readonly args: unknown }
  | { readonly type: "cancelled"; readonly call: number }
  | { readonly type: "event"; readonly name: string; readonly data: unknown };

/** Decodes a line. If the line is invalid, returns a description of the violation. */
export function readDriverMessage(line: string): DriverMessage | string {
  const value = readJson(line)?.value;
  if (!isObject(value)) return "not a JSON object";
  switch (value.type) {
    case "hello":
      return { type: "hello", hello: readHello(value) };
    case "result":
      return readResult(value);
    case "call":
      return typeof value.call === "number" && typeof value.fn === "string"
        ? { type: "call", call: value.call, fn: value.fn, args: value.args }
        : 'a call without "call" or "fn"';
    case "cancelled":
      return typeof value.call === "number"
        ? { type: "cancelled", call: value.call }
        : 'a cancellation without "call"';
    case "event":
      return typeof value.name === "string"
        ? { type: "event", name: value.name, data: value.data }
        : 'an event without "name"';
    default:
      return `an unknown type ${JSON.stringify(value.type)}`;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Default transports, for drivers that do not declare the client's transports. */
const DEFAULT_TRANSPORTS: readonly string[] = ["stdio", "http"];

function readHello(
  { protocol, implementation, ops, features = {}, transports = DEFAULT_TRANSPORTS }: Fields,
): DriverHello | string {
  if (protocol !== 1) return `protocol ${JSON.stringify(protocol)}, not 1`;
  if (!isObject(implementation) || typeof implementation.name !== "string") {
    return "a hello without the implementation's name";
  }
  if (!Array.isArray(ops) || !isObject(features)) return "a hello without an array of ops";
  if (!Array.isArray(transports)) return "a hello whose transports are not an array";
  const { name, version, language, url } = implementation;
  return {
    implementation: {
      name,
      version: typeof version === "string" ? version : "0",
      ...(typeof language === "string" ? { language } : {}),
      ...(typeof url === "string" ? { url } : {}),
    },
    ops: new Set(ops.filter((op) => typeof op === "string")),
    features: new Set(Object.keys(features).filter((each) => features[each] === true)),
    transports: new Set(transports.filter((each) => typeof each === "string")),
  };
}

function readResult(value: Fields): DriverMessage | string {
  const { seq } = value;
  if (typeof seq !== "number") return 'a result without "seq"';
  const outcome = readOutcome(value);
  return outcome === undefined
    ? "a result without exactly one of ok, error, fault, unsupported"
    : { type: "result", seq, outcome };
}

function readOutcome(value: Fields): OpOutcome | undefined {
  const kinds = ["ok", "error", "fault", "unsupported"].filter((kind) =>
    Object.hasOwn(value, kind)
  );
  if (kinds.length !== 1) return undefined;
  const { ok, error, fault, unsupported } = value;
  if (isObject(error)) return readError(error);
  if (isObject(fault)) {
    const { message, trace } = fault;
    return { fault: { message: String(message), ...(trace ? { trace: String(trace) } : {}) } };
  }
  if (isObject(unsupported)) return { unsupported: { reason: String(unsupported.reason) } };
  return kinds[0] === "ok" ? { ok } : undefined;
}

function readError({ code, message, data }: Fields): OpOutcome | undefined {
  if (typeof code !== "string") return undefined;
  return {
    error: {
      code,
      ...(typeof message === "string" ? { message } : {}),
      ...(data === undefined ? {} : { data }),
    },
  };
}
