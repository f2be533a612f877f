/**
 * Validates the messages of a driver.
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import type { Implementation } from "../kit/report.ts";

/** The hello message of a driver. */
export interface DriverHello {
  /** Implementation under test. */
  readonly implementation: Implementation;
  /** Implemented operations. */
  readonly ops: ReadonlySet<string>;
  /** Supported features. */
  readonly features: ReadonlySet<string>;
  /** Transports of the MCP client. */
  readonly transports: ReadonlySet<string>;
}

/** Result of an operation. */
export type OpOutcome =
  | { readonly ok: unknown }
  | { readonly error: OpError }
  | { readonly fault: { readonly message: string; readonly trace?: string } }
  | { readonly unsupported: { readonly reason: string } };

/** An error of the library. */
export interface OpError {
  /** Error code of the library. */
  readonly code: string;
  /** Error message of the library. */
  readonly message?: string;
  /** Additional data. */
  readonly data?: unknown;
}

/** A message of a driver. */
export type DriverMessage =
  | { readonly type: "hello"; readonly hello: DriverHello }
  | { readonly type: "result"; readonly seq: number; readonly outcome: OpOutcome }
  | { readonly type: "call"; readonly call: number; readonly fn: string; readonly args: unknown }
  | { readonly type: "cancelled"; readonly call: number }
  | { readonly type: "event"; readonly name: string; readonly data: unknown };

/** Decodes a line. Returns a description of the violation if the line is invalid. */
export function readDriverMessage(line: string): DriverMessage | string {
  const value = readJson(line)?.value;
  if (!isObject(value)) return "not a JSON object";
  switch (value.type) {
    case "hello":
      return readHello(value);
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

/** Transports of a client if the driver does not declare them. */
const DEFAULT_TRANSPORTS: readonly string[] = ["stdio", "http"];

function readHello(
  { protocol, implementation, ops, features = {}, transports = DEFAULT_TRANSPORTS }: Fields,
): DriverMessage | string {
  if (protocol !== 1) return `protocol ${JSON.stringify(protocol)}, not 1`;
  if (!isObject(implementation) || typeof implementation.name !== "string") {
    return "a hello without the implementation's name";
  }
  if (!Array.isArray(ops) || !isObject(features)) return "a hello without an array of ops";
  if (!Array.isArray(transports)) return "a hello whose transports are not an array";
  const { name, version, language, url } = implementation;
  return {
    type: "hello",
    hello: {
      implementation: {
        name,
        version: typeof version === "string" ? version : "0",
        ...(typeof language === "string" ? { language } : {}),
        ...(typeof url === "string" ? { url } : {}),
      },
      ops: new Set(ops.filter((op) => typeof op === "string")),
      features: new Set(Object.keys(features).filter((each) => features[each] === true)),
      transports: new Set(transports.filter((each) => typeof each === "string")),
    },
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
