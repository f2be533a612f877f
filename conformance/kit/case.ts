/**
 * The shape of cases: what `schemas/case.schema.json` says, as types.
 *
 * @module
 */

import type { JsonObject, JsonValue } from "./json.ts";

/** How binding a case is: a subject must, should or may pass it; `INFO` cases only report. */
export const CaseLevel = {
  Must: "MUST",
  Should: "SHOULD",
  May: "MAY",
  Info: "INFO",
} as const;

/** A value of {@linkcode CaseLevel}. */
export type CaseLevel = (typeof CaseLevel)[keyof typeof CaseLevel];

/** The ways a case can be carried out. */
export const CaseKind = {
  Vector: "vector",
  Script: "script",
  Loop: "loop",
  Exchange: "exchange",
} as const;

/** A value of {@linkcode CaseKind}. */
export type CaseKind = (typeof CaseKind)[keyof typeof CaseKind];

/** What a subject must bring, so that a case can say anything about it. */
export interface CaseNeeds {
  /** Driver operations, beside the ones that the case itself calls. */
  readonly ops?: readonly string[];
  /** Features of the driver's hello that must be true. */
  readonly features?: readonly string[];
  /** MCP server capabilities that must be declared. */
  readonly capabilities?: readonly string[];
  /** Names of tools (`tool:x`), resources (`resource:uri`) and prompts (`prompt:x`) to be offered. */
  readonly fixtures?: readonly string[];
  /** The transports that the case makes sense on; all when absent. */
  readonly transports?: readonly ("stdio" | "http")[];
}

/** What every case says of itself, whatever its kind. */
export interface CaseHeader {
  /** `area/topic/slug`; never changes its meaning. */
  readonly id: string;
  /** What is required, in one line. */
  readonly title: string;
  readonly level: CaseLevel;
  /** What the requirement rests on: `spec`, `decision`, `recorded`, `jsonrpc`, `mcp@<revision>`, `rfc<number>`. */
  readonly basis: string;
  /** Ids of the clauses in `spec/` that the case tests. */
  readonly clauses: readonly string[];
  /** Addresses of the texts behind the requirement. */
  readonly refs?: readonly string[];
  /** Where the expected values come from, when not where the file says. */
  readonly source?: string;
  /** Version of the specification that brought the requirement. */
  readonly since?: string;
  /** Last version of the specification with the requirement. */
  readonly until?: string;
  /** Earlier ids of the same case. */
  readonly aliases?: readonly string[];
  /** MCP revisions, both ends included. */
  readonly revisions?: { readonly from?: string; readonly to?: string };
  readonly needs?: CaseNeeds;
  /** What goes wrong for people when the requirement is broken. */
  readonly why: string;
  /** Ids of the mutants that the case must kill. */
  readonly catches?: readonly string[];
  /** The twin without the single defect: it must pass, or a pass here proves nothing. */
  readonly control?: string;
  readonly flags?: readonly string[];
  /** Overrides the runner's deadline, before scaling. */
  readonly timing?: { readonly deadlineMs: number };
  /** `process` asks for a fresh subject. */
  readonly isolation?: "connection" | "process";
}

/** A value with matcher expressions inside; see PROTOCOL.md. */
export type Matcher = JsonValue;

/** What an operation comes to: a value of the library, or its refusal. */
export type ExpectedOutcome =
  | { readonly ok: Matcher }
  | { readonly error: ExpectedError };

/** What to find in a refusal. */
export type ExpectedError = {
  readonly code?: Matcher;
  readonly message?: Matcher;
  readonly data?: Matcher;
};

/** One input of a vector and what must come of it. */
export interface VectorRow {
  readonly name: string;
  readonly input: JsonObject;
  readonly expect: ExpectedOutcome;
}

/** One operation without state: inputs and what must come of them. */
export interface VectorCase extends CaseHeader {
  readonly kind: "vector";
  readonly op: string;
  /** At least one; a case with a single input has one row without a name. */
  readonly rows: readonly VectorRow[];
  /** Values on the way to the result, for people; never compared. */
  readonly intermediate?: JsonObject;
}

/** One step of a script or loop. */
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
  /** Name of the handle that the operation works on. */
  readonly on?: string;
  readonly args?: JsonObject;
  readonly expect?: ExpectedOutcome;
}

/** Operations on live objects, one after another or side by side. */
export interface ScriptCase extends CaseHeader {
  readonly kind: "script";
  readonly steps: readonly OpStep[];
}

/** A step that concerns the scripted host of a loop. */
export type HostStep =
  | { readonly held: string; readonly withinMs?: number }
  | { readonly cancelled: string; readonly withinMs?: number }
  | { readonly release: string }
  | { readonly log: Matcher };

/** What a scripted callback throws. */
export interface Thrown {
  readonly message: string;
  readonly retryable?: boolean;
  readonly status?: number;
}

/** One answer of a scripted model. */
export type ModelTurn =
  & { readonly expect?: Matcher; readonly hold?: string }
  & ({ readonly reply: JsonObject } | { readonly throws: Thrown });

/** One answer of a scripted tool, approval handler, stop condition or router. */
export type HostAnswer =
  & { readonly expect?: Matcher; readonly hold?: string }
  & (
    | { readonly returns: JsonValue }
    | { readonly special: "undefined" | "cycle" | "bigint" | "function" | "nan" }
    | { readonly throws: Thrown }
  );

/** Everything that a loop case answers in place of the world: models, tools, approvals, conditions, routers. */
export interface HostScript {
  readonly models?: { readonly [name: string]: readonly ModelTurn[] };
  readonly tools?: { readonly [name: string]: readonly HostAnswer[] };
  readonly approvals?: { readonly [name: string]: readonly HostAnswer[] };
  readonly conditions?: { readonly [name: string]: readonly HostAnswer[] };
  readonly routers?: { readonly [name: string]: readonly HostAnswer[] };
  /** Rules checked on every model request and result; `["transcript"]` when absent. */
  readonly invariants?: readonly "transcript"[];
}

/** An agent at work with a scripted host. */
export interface LoopCase extends CaseHeader {
  readonly kind: "loop";
  readonly host: HostScript;
  readonly steps: readonly (OpStep | HostStep)[];
}

/** A JSON-RPC call without its envelope. */
export interface RpcCall {
  readonly method: string;
  readonly params?: JsonValue;
}

/** One step on a JSON-RPC wire. */
export type WireStep =
  | {
    readonly request: RpcCall;
    readonly id?: string | number;
    readonly as?: string;
    readonly withinMs?: number;
    readonly expect?: Matcher;
  }
  | { readonly start: RpcCall; readonly id?: string | number; readonly as: string }
  | { readonly await: string; readonly withinMs?: number; readonly expect: Matcher }
  | { readonly notify: RpcCall }
  | { readonly send: JsonValue }
  | { readonly sendText: string }
  | { readonly sendHex: string; readonly chunks?: readonly number[] }
  | { readonly receive: Matcher; readonly as?: string; readonly withinMs?: number }
  | { readonly silence: number }
  | { readonly alive: true; readonly withinMs?: number }
  | { readonly closeInput: true }
  | { readonly signal: "SIGINT" | "SIGTERM" | "SIGKILL" }
  | { readonly exit: Matcher; readonly withinMs?: number }
  | { readonly http: HttpCall; readonly withinMs?: number; readonly expect: Matcher }
  | { readonly drive: string; readonly args?: JsonObject; readonly as: string }
  | { readonly repeat: number; readonly steps: readonly WireStep[] };

/** A plain HTTP request to the subject's address. */
export interface HttpCall {
  readonly method: string;
  readonly path?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: JsonValue;
  readonly bodyText?: string;
}

/** A conversation on a real wire with a subject as server or as client. */
export interface ExchangeCase extends CaseHeader {
  readonly kind: "exchange";
  readonly role: "server" | "client";
  /** `open` (default): the kit does the handshake of the revision first. */
  readonly session?: "open" | "none";
  readonly steps: readonly WireStep[];
}

/** A case of any kind. */
export type Case = VectorCase | ScriptCase | LoopCase | ExchangeCase;

/** A case file, read and checked. */
export interface CaseFile {
  /** The start of every id in the file. */
  readonly area: string;
  /** Where the expected values come from. */
  readonly source: string;
  readonly cases: readonly Case[];
}
