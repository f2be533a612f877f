export class AssertionError extends Error {
  constructor(message: string, options?: ErrorOptions);
}
type ErrorClass<E extends Error = Error> = abstract new (...args: never[]) => E;
export function assert(expr: unknown, msg?: string): asserts expr;
export function assertFalse(expr: unknown, msg?: string): asserts expr is false;
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T>;
export function assertEquals<T>(actual: T, expected: T, msg?: string): void;
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void;
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T;
export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void;
export function assertInstanceOf<T extends abstract new (...args: never[]) => unknown>(
  actual: unknown,
  expectedType: T,
  msg?: string,
): asserts actual is InstanceType<T>;
export function assertMatch(actual: string, expected: RegExp, msg?: string): void;
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void;
export function assertStringIncludes(actual: string, expected: string, msg?: string): void;
export function assertObjectMatch(
  actual: Record<PropertyKey, unknown>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void;
export function assertGreater<T>(actual: T, expected: T, msg?: string): void;
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void;
export function assertLess<T>(actual: T, expected: T, msg?: string): void;
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void;
export function assertThrows(fn: () => unknown, msg?: string): unknown;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export function assertIsError<E extends Error = Error>(
  error: unknown,
  ErrorClass?: ErrorClass<E>,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E;
export function equal(a: unknown, b: unknown): boolean;
export function fail(msg?: string): never;
export function unreachable(msg?: string): never;
