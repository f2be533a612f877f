/**
 * The interface for driver operations, and functions that read their arguments.
 *
 * @module
 */

/** Members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** A call to an operation. */
export interface OpCall {
  /** Arguments from the case. */
  readonly args: Fields;
  /** The live object that the operation is called on, if any. */
  readonly on: unknown;
  /** Aborted when the kit aborts the operation. */
  readonly signal: AbortSignal;
  /** Live objects in the case. */
  readonly handles: Handles;
  /** Access to the kit's host functions, such as scripted models and tools. */
  readonly host: HostClient;
}

/** An operation. The return value of an operation becomes `ok` in the result message. */
export type Operation = (call: OpCall) => unknown;

/** Calls the kit's host functions. */
export interface HostClient {
  /** Calls a host function. Rejects with a {@linkcode HostError} if the host function throws. */
  call(fn: string, args: object, signal?: AbortSignal): Promise<unknown>;
  /** Sends an event to the kit. */
  event(name: string, data: object): void;
}

/** Error thrown by a scripted host function. */
export class HostError extends Error {
  /** Whether a model error is retryable. */
  readonly retryable: boolean;
  /** HTTP status code of a model error. */
  readonly status: number | undefined;
  /** Retry delay that the provider requests, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Error that a tool returns to the model. */
  readonly tellModel: unknown;

  /** Creates the error from the members given in the case. */
  constructor(message: string, { retryable, status, retryAfterMs, tellModel }: Fields) {
    super(message);
    this.name = "HostError";
    this.retryable = retryable === true;
    this.status = typeof status === "number" ? status : undefined;
    this.retryAfterMs = typeof retryAfterMs === "number" ? retryAfterMs : undefined;
    this.tellModel = tellModel;
  }
}

/** Result of a tool that also requests the end of the run. */
export class StoppingValue {
  /** Result of the tool. */
  readonly value: unknown;

  /** Creates a `StoppingValue` from the tool's result. */
  constructor(value: unknown) {
    this.value = value;
  }
}

/** Thrown if a case contains invalid arguments, which are not reported as a library error. */
export class BadArgs extends Error {}

/** Thrown for features that the library does not have, which makes the case untestable. */
export class Unsupported extends Error {}

/** Live objects in a case, keyed by handle. */
export class Handles {
  readonly #objects: Map<string, unknown> = new Map();
  readonly #closers: (() => unknown)[] = [];

  /** Adds an object and returns its handle. */
  add(object: unknown, close?: () => unknown): string {
    const handle = `h${this.#objects.size + 1}`;
    this.#objects.set(handle, object);
    if (close !== undefined) this.#closers.push(close);
    return handle;
  }

  /** Returns the object for a handle. */
  get(handle: unknown): unknown {
    const found = this.#objects.get(String(handle));
    if (found === undefined) throw new BadArgs(`unknown handle ${JSON.stringify(handle)}`);
    return found;
  }

  /** Removes and closes all objects. */
  async clear(): Promise<void> {
    this.#objects.clear();
    await Promise.allSettled(this.#closers.splice(0).map((close) => close()));
  }
}

/** Returns a string argument. */
export function textOf(args: Fields, name: string): string {
  const value = args[name];
  if (typeof value === "string") return value;
  throw new BadArgs(`"${name}" must be a string`);
}

/**
 * Returns the JSON text of a message, which is given as text or as the result of an earlier
 * operation.
 */
export function messageTextOf(args: Fields, name: string): string {
  const message = args[name];
  return message === undefined ? textOf(args, `${name}Text`) : JSON.stringify(message);
}

/** Returns the bytes of an argument given in hexadecimal. */
export function bytesOf(args: Fields, name: string): Uint8Array<ArrayBuffer> {
  const text = textOf(args, name);
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Encodes bytes in hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the arguments with the given names that are present, as options of the library. */
export function pick(args: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)));
}

/** Returns an object argument, or an empty object if it is omitted. */
export function fieldsOf(args: Fields, name: string): Fields {
  const value = args[name] ?? {};
  if (isFields(value)) return value;
  throw new BadArgs(`"${name}" must be an object`);
}

/** Returns a value that was read from an argument with JSON text, if the value is an object. */
export function objectOf(value: unknown, name: string): Fields {
  if (isFields(value)) return value;
  throw new TypeError(`Cannot use ${name}: the JSON value must be an object`);
}

/** Returns true if a value is an object and not an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
