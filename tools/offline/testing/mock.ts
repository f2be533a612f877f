/**
 * The part of @std/testing/mock that the tests use, with the same signatures. The @std/testing package is not
 * available on npm. Where JSR can be reached, the tests also run against the original @std/testing/mock.
 *
 * @module
 */

import { assertEquals, AssertionError, assertIsError } from "@std/assert";

/** A recorded call to a spy. */
export interface SpyCall<Self = any, Args extends unknown[] = any[], Return = any> {
  args: Args;
  returned?: Return;
  error?: Error;
  self?: Self;
}

/** A function that records its calls. */
export interface Spy<Self = any, Args extends unknown[] = any[], Return = any> {
  (this: Self, ...args: Args): Return;
  original: (this: Self, ...args: Args) => Return;
  calls: SpyCall<Self, Args, Return>[];
  restored: boolean;
  restore(): void;
}

/** A spy that replaces a method until `restore()`. */
export interface MethodSpy<Self = any, Args extends unknown[] = any[], Return = any>
  extends Spy<Self, Args, Return>, Disposable {}

/** A method replacement that records its calls. */
export interface Stub<Self = any, Args extends unknown[] = any[], Return = any>
  extends MethodSpy<Self, Args, Return> {
  fake: (this: Self, ...args: Args) => Return;
}

/** Expected call for {@linkcode assertSpyCall}, which does not compare absent properties. */
export interface ExpectedSpyCall<Self = any, Args extends unknown[] = any[], Return = any> {
  args?: [...Args, ...unknown[]];
  self?: Self;
  returned?: Return;
  error?: { Class?: new (...args: any[]) => Error; msgIncludes?: string };
}

/** Parameters of the `Prop` method. */
export type GetParametersFromProp<Self, Prop extends keyof Self> = Self[Prop] extends
  (...args: infer Args) => unknown ? Args : unknown[];

/** Return type of the `Prop` method. */
export type GetReturnFromProp<Self, Prop extends keyof Self> = Self[Prop] extends
  (...args: any[]) => infer Return ? Return : unknown;

type Method<Self, Args extends unknown[], Return> = (this: Self, ...args: Args) => Return;

/** Thrown if a spy or a stub is misused. */
export class MockError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MockError";
  }
}

/** Records the calls to a function or a method. If omitted, the function does nothing. */
export function spy<Self = any, Args extends unknown[] = any[], Return = undefined>(): Spy<
  Self,
  Args,
  Return
>;
export function spy<Self, Args extends unknown[], Return>(
  func: (this: Self, ...args: Args) => Return,
): Spy<Self, Args, Return>;
export function spy<Self, Prop extends keyof Self>(
  self: Self,
  property: Prop,
): MethodSpy<Self, GetParametersFromProp<Self, Prop>, GetReturnFromProp<Self, Prop>>;
export function spy(funcOrSelf: any = () => {}, property?: PropertyKey): Spy {
  if (property === undefined) {
    return record(funcOrSelf, funcOrSelf, () => {
      throw new MockError("Cannot restore: function cannot be restored");
    });
  }
  if (typeof funcOrSelf[property] !== "function") {
    throw new MockError("Cannot spy: property is not an instance method");
  }
  return replaceMethod(funcOrSelf, property, funcOrSelf[property], "spy");
}

/** Replaces a method and records its calls. If `func` is omitted, the replacement does nothing. */
export function stub<Self, Prop extends keyof Self>(
  self: Self,
  property: Prop,
): Stub<Self, GetParametersFromProp<Self, Prop>, GetReturnFromProp<Self, Prop>>;
export function stub<Self, Prop extends keyof Self>(
  self: Self,
  property: Prop,
  func: (
    this: Self,
    ...args: GetParametersFromProp<Self, Prop>
  ) => GetReturnFromProp<Self, Prop>,
): Stub<Self, GetParametersFromProp<Self, Prop>, GetReturnFromProp<Self, Prop>>;
export function stub(self: any, property: PropertyKey, func: any = () => {}): Stub {
  if (self[property] !== undefined && typeof self[property] !== "function") {
    throw new MockError("Cannot stub: property is not an instance method");
  }
  return Object.assign(replaceMethod(self, property, func, "stub"), { fake: func });
}

/** Asserts the number of calls to a spy. */
export function assertSpyCalls<Self, Args extends unknown[], Return>(
  spy: Spy<Self, Args, Return>,
  expectedCalls: number,
): void {
  const { length } = spy.calls;
  if (length === expectedCalls) return;
  const verdict = length < expectedCalls
    ? "Spy not called as much as expected"
    : "Spy called more than expected";
  throw new AssertionError(`${verdict}: ${length} instead of ${expectedCalls} calls`);
}

/** Asserts that a spy was called at least `callIndex + 1` times, and compares that call. */
export function assertSpyCall<Self, Args extends unknown[], Return>(
  spy: Spy<Self, Args, Return>,
  callIndex: number,
  expected: ExpectedSpyCall<Self, Args, Return> = {},
): void {
  const call = spy.calls[callIndex];
  if (call === undefined) throw new AssertionError("Spy not called as much as expected");
  if (expected.args) assertEquals<unknown>(call.args, expected.args, "Spy call arguments");
  if ("self" in expected) assertEquals(call.self, expected.self, "Spy call receiver");
  if ("returned" in expected && "error" in expected) {
    throw new TypeError("Do not expect error and return, only one should be expected");
  }
  if ("returned" in expected) {
    if (call.error) {
      throw new AssertionError("Spy call did not return expected value, an error was thrown.");
    }
    assertEquals(call.returned, expected.returned, "Spy call result");
  }
  if ("error" in expected) {
    if ("returned" in call) {
      throw new AssertionError("Spy call did not throw an error, a value was returned.");
    }
    assertIsError(call.error, expected.error?.Class, expected.error?.msgIncludes);
  }
}

/** Returns a function that returns the given values in turn. A value that is an `Error` is thrown. */
export function returnsNext<Return, Self = any, Args extends unknown[] = any[]>(
  values: Iterable<Return | Error>,
): (this: Self, ...args: Args) => Return {
  const iterator = values[Symbol.iterator]();
  let calls = 0;
  return () => takeNext(iterator.next(), calls++);
}

/**
 * Returns a function whose promises resolve to the given values in turn. If the value is an `Error`, the promise
 * rejects with it.
 */
export function resolvesNext<Return, Self = any, Args extends unknown[] = any[]>(
  iterable:
    | Iterable<Return | Error | Promise<Return | Error>>
    | AsyncIterable<Return | Error | Promise<Return | Error>>,
): (this: Self, ...args: Args) => Promise<Return> {
  const values = (async function* () {
    yield* iterable;
  })();
  let calls = 0;
  return async () => takeNext<Awaited<Return>>(await values.next() as never, calls++);
}

function takeNext<Return>(next: IteratorResult<Return | Error>, calls: number): Return {
  if (next.done) throw new MockError(`Not expected to be called more than ${calls} time(s)`);
  if (next.value instanceof Error) throw next.value;
  return next.value;
}

function record(
  original: Method<any, any[], any>,
  fake: typeof original,
  restore: () => void,
): Spy {
  const calls: SpyCall[] = [];
  function recording(this: unknown, ...args: unknown[]): unknown {
    const call: SpyCall = { args, ...(this ? { self: this } : {}) };
    try {
      return call.returned = fake.apply(this, args);
    } catch (error) {
      call.error = error as Error;
      throw error;
    } finally {
      calls.push(call);
    }
  }
  return Object.assign(recording, { original, calls, restored: false, restore });
}

function replaceMethod(self: any, property: PropertyKey, fake: any, verb: string): MethodSpy {
  const original = self[property];
  if (Array.isArray(original?.calls)) {
    throw new MockError(`Cannot ${verb}: already spying on instance method`);
  }
  const descriptor = Object.getOwnPropertyDescriptor(self, property);
  if (descriptor?.configurable === false) {
    throw new MockError(`Cannot ${verb}: non-configurable instance method`);
  }
  const spy = record(original, fake, () => {
    if (spy.restored) {
      throw new MockError("Cannot restore: instance method already restored");
    }
    if (descriptor) Object.defineProperty(self, property, descriptor);
    else delete self[property];
    spy.restored = true;
  });
  Object.defineProperty(self, property, {
    configurable: true,
    enumerable: descriptor?.enumerable ?? false,
    writable: descriptor?.writable ?? false,
    value: spy,
  });
  return Object.assign(spy, { [Symbol.dispose]: () => spy.restore() });
}
