/**
 * Time limit for the checks that implementations of an interface must pass.
 *
 * @module
 */

import { assertPositiveNumber } from "./assert_argument.ts";
import { optionsReader, withDefault } from "./options.ts";
import { resolveWithin } from "./timers.ts";

/** Options for running a check. Each package declares them for its own checks. */
interface CheckOptions {
  readonly timeoutMs?: number;
}

const readOptions = optionsReader<CheckOptions>("options")({
  timeoutMs: withDefault(30_000, assertPositiveNumber),
});

/** A check that runs once. */
export interface OpenCheck<T> {
  /** Asserted behavior, as a sentence. */
  readonly name: string;
  /** Options of the caller, which are validated before the object is opened. */
  readonly options: CheckOptions;
  /** Creates the object to check. */
  readonly open: () => T | Promise<T>;
  /** Rejects if the object does not behave as asserted. */
  readonly check: (object: T) => Promise<void>;
  /** Releases the object, also after the check has failed. */
  readonly close: (object: T) => Promise<unknown>;
}

/** Time within which an object should close that has exceeded the time limit, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1000;

/**
 * Opens an object, checks it and closes it. The time limit begins when the object is open.
 *
 * @throws {RangeError} If `timeoutMs` is not a positive number.
 * @throws {Error} If the check fails, or the time limit is exceeded.
 */
export async function runCheck<T>(
  { name, options, open, check, close }: OpenCheck<T>,
): Promise<void> {
  const { timeoutMs } = readOptions(options);
  const object = await open();
  const checking = check(object);
  const closing = checking.finally(() => close(object));
  const settled = closing.then(() => true, () => true);
  if (await resolveWithin(settled, timeoutMs)) return await closing;
  // A broken object might never close.
  await resolveWithin(Promise.allSettled([close(object), checking]), CLOSE_TIMEOUT_MS);
  throw new Error(`${name}: the check took longer than ${timeoutMs} ms`);
}
