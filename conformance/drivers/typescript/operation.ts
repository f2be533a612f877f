/**
 * What an operation of the driver gets, and how it reads its arguments.
 *
 * @module
 */

/** Members of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** One call of an operation. */
export interface OpCall {
  /** The arguments of the case. */
  readonly args: Fields;
  /** The live object that the operation works on, if any. */
  readonly on: unknown;
  /** Fires when the kit aborts the operation. */
  readonly signal: AbortSignal;
  /** Live objects of the case. */
  readonly handles: Handles;
  /** The kit's side: scripted models, tools and so on. */
  readonly host: HostClient;
}

/** An operation: arguments in, the `ok` of its result out. */
export type Operation = (call: OpCall) => unknown;

/** Asks the kit. */
export interface HostClient {
  /** Calls a host function and waits for its answer; rejects with what the host throws. */
  call(fn: string, args: object, signal?: AbortSignal): Promise<unknown>;
  /** Tells the kit something. */
  event(name: string, data: object): void;
}

/** What a scripted function of the host throws. */
export class HostError extends Error {
  /** Whether trying again may help, for a model. */
  readonly retryable: boolean;
  /** The HTTP status, for a model. */
  readonly status: number | undefined;
  /** What the model is to see of it, for a tool. */
  readonly tellModel: unknown;

  /** Makes the error that the case describes. */
  constructor(message: string, { retryable, status, tellModel }: Fields) {
    super(message);
    this.name = "HostError";
    this.retryable = retryable === true;
    this.status = typeof status === "number" ? status : undefined;
    this.tellModel = tellModel;
  }
}

/** A tool's value that comes with the wish to end the run. */
export class StoppingValue {
  /** The value itself. */
  readonly value: unknown;

  /** Makes it from the value. */
  constructor(value: unknown) {
    this.value = value;
  }
}

/** A mistake in the case, not in the library. */
export class BadArgs extends Error {}

/** What a case asks for and the library does not have: then nothing can be said about it. */
export class Unsupported extends Error {}

/** The live objects of a case. */
export class Handles {
  readonly #objects: Map<string, unknown> = new Map();
  readonly #closers: (() => unknown)[] = [];

  /** Keeps an object and gives its handle. */
  add(object: unknown, close?: () => unknown): string {
    const handle = `h${this.#objects.size + 1}`;
    this.#objects.set(handle, object);
    if (close !== undefined) this.#closers.push(close);
    return handle;
  }

  /** The object of a handle. */
  get(handle: unknown): unknown {
    const found = this.#objects.get(String(handle));
    if (found === undefined) throw new BadArgs(`no handle ${JSON.stringify(handle)}`);
    return found;
  }

  /** Forgets everything, and ends what has to be ended. */
  async clear(): Promise<void> {
    this.#objects.clear();
    await Promise.allSettled(this.#closers.splice(0).map((close) => close()));
  }
}

/** A text among the arguments. */
export function textOf(args: Fields, name: string): string {
  const value = args[name];
  if (typeof value === "string") return value;
  throw new BadArgs(`"${name}" is not a text`);
}

/** Bytes among the arguments, written in hex. */
export function bytesOf(args: Fields, name: string): Uint8Array<ArrayBuffer> {
  const text = textOf(args, name);
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Bytes in hex. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** An object among the arguments; an empty one when it is absent. */
export function fieldsOf(args: Fields, name: string): Fields {
  const value = args[name] ?? {};
  if (isFields(value)) return value;
  throw new BadArgs(`"${name}" is not an object`);
}

/** Whether a value is an object with members. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
