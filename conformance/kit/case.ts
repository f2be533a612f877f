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
  /** MCP server capabilities that must not be declared. */
  readonly undeclared?: readonly string[];
  /** Extensions of MCP, by their ids: the subject must know them, and the kit declares them. */
  readonly extensions?: readonly string[];
  /** Names of tools (`tool:x`), resources (`resource:uri`) and prompts (`prompt:x`) to be offered. */
  readonly fixtures?: readonly string[];
  /** The transports that the case makes sense on; all when absent. */
  readonly transports?: readonly ("stdio" | "http")[];
  /** Whether the server must give its clients sessions over HTTP. */
  readonly session?: true;
}

/** What every case says of itself, whatever its kind. */
export interface CaseHeader {
  /** `area/topic/slug`; never changes its meaning. */
  readonly id: string;
  /** What is required, in one line. */
  readonly title: string;
  /** How binding the requirement is. */
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
  /** What the subject must bring. */
  readonly needs?: CaseNeeds;
  /** What goes wrong for people when the requirement is broken. */
  readonly why: string;
  /** Ids of the mutants that the case must kill. */
  readonly catches?: readonly string[];
  /** The twin without the single defect: it must pass, or a pass here proves nothing. */
  readonly control?: string;
  /** Free labels. */
  readonly flags?: readonly string[];
  /** Overrides the runner's deadline, before scaling. */
  readonly timing?: { readonly deadlineMs: number };
  /** `process` asks for a fresh subject. */
  readonly isolation?: "connection" | "process";
}

/** A value with matcher expressions inside; see PROTOCOL.md. */
export type Matcher = JsonValue;

/** What an operation comes to: a value of the library, or its refusal; either will do where both are there. */
export type ExpectedOutcome =
  | { readonly ok: Matcher; readonly error?: ExpectedError }
  | { readonly error: ExpectedError };

/** What to find in a refusal. */
export type ExpectedError = {
  readonly code?: Matcher;
  readonly message?: Matcher;
  readonly data?: Matcher;
};

/** One input of a vector and what must come of it. */
export interface VectorRow {
  /** What tells the row from the others; empty for the only one. */
  readonly name: string;
  /** The arguments of the operation. */
  readonly input: JsonObject;
  /** What must come of it. */
  readonly expect: ExpectedOutcome;
}

/** One operation without state: inputs and what must come of them. */
export interface VectorCase extends CaseHeader {
  /** The kind. */
  readonly kind: "vector";
  /** The operation. */
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
  /** The arguments of the operation. */
  readonly args?: JsonObject;
  /** What must come of it; any value when absent. */
  readonly expect?: ExpectedOutcome;
}

/** Operations on live objects, one after another or side by side. */
export interface ScriptCase extends CaseHeader {
  /** The kind. */
  readonly kind: "script";
  /** The steps, in order. */
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
  /** The words. */
  readonly message: string;
  /** Whether trying again may help. */
  readonly retryable?: boolean;
  /** The HTTP status. */
  readonly status?: number;
  /** What a tool wants the model to see of its failure. */
  readonly tellModel?: JsonValue;
}

/** One answer of a scripted model. */
export type ModelTurn =
  & HostAnswerHead
  & (
    | { readonly reply: JsonObject }
    | { readonly malformed: JsonValue }
    | { readonly throws: Thrown }
  );

/** What every answer of a host may say. */
export interface HostAnswerHead {
  /** What the call must look like. */
  readonly expect?: Matcher;
  /** Answer only when a step releases this name. */
  readonly hold?: string;
  /** Go on holding when the signal of the call fires; otherwise the call then fails as aborted. */
  readonly ignoresAbort?: boolean;
}

/** One answer of a scripted tool, approval handler, stop condition, initializer or router. */
export type HostAnswer =
  & HostAnswerHead
  & (
    | { readonly returns: JsonValue; readonly stops?: boolean }
    | { readonly special: "undefined" | "cycle" | "bigint" | "function" | "nan" }
    | { readonly throws: Thrown }
  );

/** Everything that a loop case answers in place of the world. */
export interface HostScript {
  /** Models by name, each with its turns in order. */
  readonly models?: { readonly [name: string]: readonly ModelTurn[] };
  /** Tools by name, each with its answers in order. */
  readonly tools?: { readonly [name: string]: readonly HostAnswer[] };
  /** Approval handlers by name, each with its decisions in order. */
  readonly approvals?: { readonly [name: string]: readonly HostAnswer[] };
  /** Stop conditions by name, each with its answers in order. */
  readonly conditions?: { readonly [name: string]: readonly HostAnswer[] };
  /** What agents do when they are initialized, by name, each with its answers in order. */
  readonly initializers?: { readonly [name: string]: readonly HostAnswer[] };
  /** Routers by name, each with its answers in order. */
  readonly routers?: { readonly [name: string]: readonly HostAnswer[] };
  /** Rules checked on every model request and result; `["transcript"]` when absent. */
  readonly invariants?: readonly "transcript"[];
}

/** An agent at work with a scripted host. */
export interface LoopCase extends CaseHeader {
  /** The kind. */
  readonly kind: "loop";
  /** The scripted world. */
  readonly host: HostScript;
  /** The steps, in order. */
  readonly steps: readonly (OpStep | HostStep)[];
}

/** A JSON-RPC call without its envelope. */
export interface RpcCall {
  /** The method. */
  readonly method: string;
  /** Its parameters. */
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
    /** Why the case does not concern a subject whose answer does not fit. */
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
  | {
    readonly http: HttpCall;
    readonly withinMs?: number;
    readonly expect: Matcher;
    readonly optional?: string;
  }
  | HttpStep
  | {
    readonly drive: string;
    readonly on?: string;
    readonly args?: JsonObject;
    readonly as: string;
  }
  | { readonly list: ListCall }
  | { readonly repeat: number; readonly steps: readonly WireStep[] };

/** A step on connections that a case handles one by one. */
export type HttpStep =
  | {
    readonly stream: HttpCall;
    readonly as: string;
    readonly withinMs?: number;
    readonly expect?: Matcher;
    readonly optional?: string;
  }
  | { readonly noEvent: Matcher; readonly on: string; readonly forMs?: number }
  | { readonly event: string; readonly withinMs?: number; readonly expect: Matcher }
  | { readonly cut: string }
  | { readonly ended: string; readonly withinMs?: number }
  | { readonly accept: Matcher; readonly as: string; readonly withinMs?: number }
  | { readonly unasked: Matcher; readonly forMs?: number }
  | { readonly refuseAll: number }
  | { readonly reply: HttpBody & HttpHead; readonly to: string; readonly more?: true }
  | { readonly write: HttpBody; readonly to: string; readonly more?: true }
  | { readonly drop: string };

/** The head of an answer that a case gives. */
export interface HttpHead {
  /** The status code; default 200. */
  readonly status?: number;
  /** The headers; the content type fits the body unless it is named here. */
  readonly headers?: { readonly [name: string]: string };
}

/** A body, or a piece of one, that a case sends: at most one member. */
export interface HttpBody {
  /** A JSON value. */
  readonly json?: JsonValue;
  /** A text as it is; `<<name>>` stands for a captured value as JSON. */
  readonly text?: string;
  /** Bytes. */
  readonly hex?: string;
  /** Server-sent events. */
  readonly events?: readonly EventToSend[];
  /** Sizes of the pieces that `text` or `hex` is sent in, in bytes. */
  readonly chunks?: readonly number[];
}

/** An event that a case sends. */
export interface EventToSend {
  /** Its type. */
  readonly event?: string;
  /** Its id. */
  readonly id?: string;
  /** How long to wait before a new connection, in milliseconds. */
  readonly retry?: number;
  /** The data: a text as it is, anything else as JSON. */
  readonly data?: JsonValue;
}

/** A list to read from its first page to its last. */
export interface ListCall {
  /** The method that gives a page. */
  readonly method: string;
  /** The member of the result with the items. */
  readonly items: string;
  /** The member of an item that no other item shares. */
  readonly key: string;
}

/** A plain HTTP request to the subject's address. */
export interface HttpCall {
  /** The HTTP method. */
  readonly method: string;
  /** Resolved against the subject's address; default: the address itself. */
  readonly path?: string;
  /** The headers: texts, or `{"$ref": name}` for captured ones. */
  readonly headers?: { readonly [name: string]: JsonValue };
  /** The body, to be written as JSON. */
  readonly body?: JsonValue;
  /** The body as it is. */
  readonly bodyText?: string;
}

/** A conversation on a real wire with a subject as server or as client. */
export interface ExchangeCase extends CaseHeader {
  /** The kind. */
  readonly kind: "exchange";
  /** The subject's part in the conversation. */
  readonly role: "server" | "client";
  /** `open` (default): the kit does the handshake of the revision first. */
  readonly session?: "open" | "none";
  /** The steps, in order. */
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
  /** The cases, in order. */
  readonly cases: readonly Case[];
}
