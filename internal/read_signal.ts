/**
 * Options of calls that have no option other than an abort signal.
 *
 * @module
 */

import { assertObject, assertOptionalSignal } from "./assert_argument.ts";
import { assertNames, namesOf } from "./options.ts";

interface SignalOptions {
  readonly signal?: AbortSignal;
}

const NAMES = namesOf<SignalOptions>({ signal: true });

/** Names that other libraries give to the option. */
const ALIASES = { abortSignal: "signal" };

/**
 * Returns the signal in the options of a call, if there is one. Throws a `TypeError` for an unknown
 * name. The options are read by hand, because many calls are made for each message.
 */
export function readSignal(options: SignalOptions | undefined): AbortSignal | undefined {
  if (options === undefined) return undefined;
  assertObject("options", options);
  assertNames("options", options, NAMES, ALIASES);
  const { signal } = options;
  // Fast path: the complete check takes 40 ns, and a message takes 70 ns in a channel.
  if (!(signal instanceof AbortSignal)) assertOptionalSignal("signal", signal);
  return signal;
}

/** Returns options with a signal, or without one if the signal is `undefined`. */
export function toSignalOptions(signal: AbortSignal | undefined): SignalOptions {
  return signal === undefined ? {} : { signal };
}
