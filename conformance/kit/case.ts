/**
 * Types for cases, equivalent to `schemas/case.schema.json`.
 *
 * @module
 */

import type { HttpStep } from "./http_step.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ProviderApi, ProviderTurn } from "./provider_turn.ts";

/**
 * Level of a requirement (RFC 2119). The failure of an `INFO` case is reported but never fails a
 * run.
 */
export const CaseLevel = {
  Must: "MUST",
  Should: "SHOULD",
  May: "MAY",
  Info: "INFO",
} as const;

/** A value of {@linkcode CaseLevel}. */
export type CaseLevel = (typeof CaseLevel)[keyof typeof CaseLevel];

/** Kinds of cases. */
export const CaseKind = {
  Vector: "vector",
  Script: "script",
  Loop: "loop",
  Exchange: "exchange",
  Provider: "provider",
  Invariant: "invariant",
} as const;

/** A value of {@linkcode CaseKind}. */
export type CaseKind = (typeof CaseKind)[keyof typeof CaseKind];

/** Prerequisites of a case. */
export interface CaseNeeds {
  /** Driver operations that the case needs in addition to the operations that its steps call. */
  readonly ops?: readonly string[];
  /** Features that the driver must declare. */
  readonly features?: readonly string[];
  /** MCP server capabilities that must be declared. */
  readonly capabilities?: readonly string[];
  /** MCP server capabilities that must not be declared. */
  readonly undeclared?: readonly string[];
  /** Ids of MCP extensions that the kit declares and the subject must support. */
  readonly extensions?: readonly string[];
  /**
   * Names of tools (`tool:x`), resources (`resource:uri`) and prompts (`prompt:x`) that must exist.
   */
  readonly fixtures?: readonly string[];
  /** Transports that the case runs over. If omitted, the case runs over all transports. */
  readonly transports?: readonly ("stdio" | "http")[];
  /** Whether the server must use sessions over HTTP. */
  readonly session?: true;
}

/** Members common to all kinds of cases. */
export interface CaseHeader {
  /** Id of the form `library/area/slug`. The meaning of an id never changes. */
  readonly id: string;
  /** The requirement, in one line. */
  readonly title: string;
  /** Level of the requirement. */
  readonly level: CaseLevel;
  /**
   * Basis of the requirement: `spec`, `decision`, `recorded`, `jsonrpc`, `mcp@<protocol version>`,
   * `rfc<number>`.
   */
  readonly basis: string;
  /** Ids of the clauses in `spec/` that the case tests. */
  readonly clauses: readonly string[];
  /** URLs of documents that state the requirement. */
  readonly refs?: readonly string[];
  /** Source of the expected values. */
  readonly source: string;
  /** Name of the file that contains the case. Set when the file is loaded. */
  readonly file?: string;
  /**
   * Set if the result of the case does not count. Case files contain only `proposed`, for a case
   * that is in no requirement set. An erratum sets `disputed`.
   */
  readonly state?: "proposed" | "disputed";
  /** First version of the specification that contains the requirement. */
  readonly since?: string;
  /** Last version of the specification that contains the requirement. */
  readonly until?: string;
  /** Previous ids of the case. */
  readonly aliases?: readonly string[];
  /** Range of MCP protocol versions, inclusive. */
  readonly revisions?: { readonly from?: string; readonly to?: string };
  /** Prerequisites of the case. */
  readonly needs?: CaseNeeds;
  /** Harm that results if the requirement is not met. */
  readonly why: string;
  /**
   * Id of the control: the same case without the defect. A negative case is evidence only if its
   * control passes.
   */
  readonly control?: string;
  /** Labels for selecting cases. */
  readonly flags?: readonly string[];
  /** Overrides the default timeout, before scaling. */
  readonly timing?: { readonly deadlineMs: number };
  /** `process`: the case needs a new process. */
  readonly isolation?: "connection" | "process";
}

/** A JSON value that can contain matcher expressions; see PROTOCOL.md. */
export type Matcher = JsonValue;

/**
 * Expected result of an operation: a value or an error. If both a value and an error are given,
 * either is accepted.
 */
export type ExpectedOutcome =
  | { readonly ok: Matcher; readonly error?: ExpectedError }
  | { readonly error: ExpectedError };

/** Matchers for an expected error. */
export type ExpectedError = {
  readonly code?: Matcher;
  readonly message?: Matcher;
  readonly data?: Matcher;
};

/** One input of a vector and its expected result. */
export interface VectorRow {
  /** Name of the row, or an empty string if the vector has a single row. */
  readonly name: string;
  /** The arguments of the operation. */
  readonly input: JsonObject;
  /** Expected result. */
  readonly expect: ExpectedOutcome;
}

/** One stateless operation with inputs and expected results. */
export interface VectorCase extends CaseHeader {
  /** Kind of the case. */
  readonly kind: "vector";
  /** Name of the operation. */
  readonly op: string;
  /** Rows of the vector, at least one. A case with a single input has one row without a name. */
  readonly rows: readonly VectorRow[];
  /** Intermediate values, for the reader; never compared. */
  readonly intermediate?: JsonObject;
}

/** A step in a script or loop case. */
export type OpStep =
  | OpCall & { readonly do: string; readonly as?: string | readonly string[] }
  | OpCall & { readonly start: string; readonly as: string }
  | {
    readonly await: string;
    readonly as?: string | readonly string[];
    readonly withinMs?: number;
    readonly expect?: ExpectedOutcome;
  }
  | { readonly pending: readonly string[]; readonly forMs?: number }
  | { readonly abort: string };

/** The operation that a step calls. */
export interface OpCall {
  /** Name of the handle that the operation is called on. */
  readonly on?: string;
  /** The arguments of the operation. */
  readonly args?: JsonObject;
  /** Expected result. If omitted, any result is accepted. */
  readonly expect?: ExpectedOutcome;
}

/** Sequential and parallel operations on live objects. */
export interface ScriptCase extends CaseHeader {
  /** Kind of the case. */
  readonly kind: "script";
  /** The steps, in order. */
  readonly steps: readonly OpStep[];
}

/** A step that controls the scripted host of a loop case. */
export type HostStep =
  | { readonly held: string; readonly withinMs?: number }
  | { readonly cancelled: string; readonly withinMs?: number }
  | { readonly release: string }
  | { readonly log: Matcher };

/** Error that a scripted function throws. */
export interface Thrown {
  /** Error message. */
  readonly message: string;
  /** Whether the error is retryable. */
  readonly retryable?: boolean;
  /** HTTP status code. */
  readonly status?: number;
  /** Retry delay that the provider requests, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Error that a tool returns to the model. */
  readonly tellModel?: JsonValue;
}

/** A response from a scripted model. */
export type ModelTurn =
  & HostAnswerHead
  & (
    | { readonly reply: JsonObject }
    | { readonly malformed: JsonValue }
    | { readonly throws: Thrown }
  );

/** Members common to all host responses. */
export interface HostAnswerHead {
  /** Matcher for the host function call. */
  readonly expect?: Matcher;
  /** Delays the response until a step releases the gate with this name. */
  readonly hold?: string;
  /**
   * Whether to keep delaying the response after the call's signal is aborted. If omitted, an
   * aborted call fails.
   */
  readonly ignoresAbort?: boolean;
}

/** A response from a scripted tool, approval handler, stop condition, initializer or router. */
export type HostAnswer =
  & HostAnswerHead
  & (
    | { readonly returns: JsonValue; readonly stops?: boolean }
    /** Name of a value that JSON cannot represent; see `schemas/case.schema.json`. */
    | { readonly special: string }
    | { readonly throws: Thrown }
  );

/** The scripted environment for a loop case. */
export interface HostScript {
  /** Models, keyed by name, each with its turns in order. */
  readonly models?: { readonly [name: string]: readonly ModelTurn[] };
  /** Tools, keyed by name, each with its responses in order. */
  readonly tools?: { readonly [name: string]: readonly HostAnswer[] };
  /** Approval handlers, keyed by name, each with its decisions in order. */
  readonly approvals?: { readonly [name: string]: readonly HostAnswer[] };
  /** Stop conditions, keyed by name, each with its responses in order. */
  readonly conditions?: { readonly [name: string]: readonly HostAnswer[] };
  /** Initialization callbacks of agents, keyed by name, each with its responses in order. */
  readonly initializers?: { readonly [name: string]: readonly HostAnswer[] };
  /**
   * Functions that repair the input of tool calls, keyed by name, each with its responses in order.
   */
  readonly repairers?: { readonly [name: string]: readonly HostAnswer[] };
  /** Routers, keyed by name, each with its responses in order. */
  readonly routers?: { readonly [name: string]: readonly HostAnswer[] };
  /**
   * Rules that are checked for each model request and output.
   *
   * @default {["transcript"]}
   */
  readonly invariants?: readonly "transcript"[];
}

/** An agent in a scripted environment. */
export interface LoopCase extends CaseHeader {
  /** Kind of the case. */
  readonly kind: "loop";
  /** The scripted environment. */
  readonly host: HostScript;
  /** The steps, in order. */
  readonly steps: readonly (OpStep | HostStep)[];
}

/** A JSON-RPC request without its envelope. */
export interface RpcCall {
  /** Method name. */
  readonly method: string;
  /** Parameters. */
  readonly params?: JsonValue;
}

/** A step in an exchange case. */
export type WireStep =
  | {
    readonly request: RpcCall;
    readonly id?: string | number;
    readonly as?: string;
    readonly withinMs?: number;
    readonly expect?: Matcher;
    /** Reason for `n/a` if the response does not match. */
    readonly optional?: string;
  }
  | { readonly start: RpcCall; readonly id?: string | number; readonly as: string }
  | {
    readonly poll: RpcCall;
    readonly while: Matcher;
    readonly expect: Matcher;
    readonly withinMs?: number;
  }
  | { readonly await: string; readonly withinMs?: number; readonly expect: Matcher }
  | { readonly notify: RpcCall }
  | { readonly send: JsonValue }
  | { readonly sendText: string; readonly padTo?: number }
  | { readonly sendHex: string; readonly chunks?: readonly number[] }
  | { readonly receive: Matcher; readonly as?: string; readonly withinMs?: number }
  | { readonly answerAll: Matcher; readonly result: JsonValue }
  | { readonly sendTogether: readonly JsonValue[] }
  | { readonly silence: number }
  | { readonly noMessage: Matcher; readonly forMs?: number }
  | { readonly listen: true }
  | { readonly alive: true; readonly withinMs?: number }
  | { readonly closeInput: true }
  | { readonly signal: "SIGINT" | "SIGTERM" | "SIGKILL" }
  | { readonly exit: Matcher; readonly withinMs?: number }
  | { readonly cancel: string }
  | HttpStep
  | {
    readonly drive: string;
    readonly on?: string;
    readonly args?: JsonObject;
    readonly as: string;
  }
  | { readonly list: ListCall }
  | { readonly repeat: number; readonly steps: readonly WireStep[] };

/** A paginated list that the kit reads completely. */
export interface ListCall {
  /** Method that returns one page of the list. */
  readonly method: string;
  /** Member of the result that contains the items. */
  readonly items: string;
  /** Member of the items that must be unique. */
  readonly key: string;
}

/** JSON-RPC messages over a real transport, with the subject as server or client. */
export interface ExchangeCase extends CaseHeader {
  /** Kind of the case. */
  readonly kind: "exchange";
  /** Role of the subject. */
  readonly role: "server" | "client";
  /**
   * `open`: the kit opens the session before the steps.
   *
   * @default {"open"}
   */
  readonly session?: "open" | "none";
  /** The steps, in order. */
  readonly steps: readonly WireStep[];
}

/** A client of a model provider: an adapter or an agent, with the kit as the provider. */
export interface ProviderCase extends CaseHeader {
  /** Kind of the case. */
  readonly kind: "provider";
  /** API of the provider. */
  readonly api: ProviderApi;
  /** The expected requests and their responses, in order. */
  readonly turns: readonly ProviderTurn[];
  /** The tools that the subject can execute. */
  readonly host?: HostScript;
  /** The steps, in order. */
  readonly steps: readonly (OpStep | HostStep)[];
}

/** A rule that holds for every message of a run. All violations of the rule are one failure. */
export interface InvariantCase extends CaseHeader {
  /** Kind of the case. */
  readonly kind: "invariant";
  /** Role of the subject, if the messages are those of an exchange. */
  readonly role?: "server" | "client";
  /** Name of the rule. */
  readonly rule: string;
  /** Ids of cases whose steps make a subject violate the rule, so that they are not judged. */
  readonly except?: readonly string[];
}

/** A case of any kind. */
export type Case = VectorCase | ScriptCase | LoopCase | ExchangeCase | ProviderCase | InvariantCase;

/** A validated case file. */
export interface CaseFile {
  /** The cases, in order. */
  readonly cases: readonly Case[];
}
