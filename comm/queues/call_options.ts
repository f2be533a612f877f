/**
 * Options of the methods of message queues.
 *
 * @module
 */

import {
  assertCount,
  assertObject,
  assertOptionalBoolean,
  assertOptionalSignal,
} from "@parley/internal/assert-argument";
import {
  assertNames,
  namesOf,
  type OptionsReader,
  optionsReader,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import type { ConsumeOptions, DeadLetterOptions, QueueSendOptions } from "./message_queue.ts";

/** Options of `consume`, with default values filled in. */
export type ConsumeSettings = Settings<ConsumeOptions, "concurrency" | "transactional">;

/** Validates the options of `consume` and fills in default values. */
export const readConsumeOptions: OptionsReader<ConsumeOptions, "concurrency" | "transactional"> =
  optionsReader<ConsumeOptions>("options")({
    concurrency: withDefault(8, assertCount),
    transactional: withDefault(false, assertOptionalBoolean),
    signal: assertOptionalSignal,
  });

/** Options of `deadLetters` and `redrive`, with default values filled in. */
export type DeadLetterSettings = Settings<DeadLetterOptions, "limit">;

/** Validates the options of `deadLetters` and `redrive`, and fills in default values. */
export const readDeadLetterOptions: OptionsReader<DeadLetterOptions, "limit"> = optionsReader<
  DeadLetterOptions
>("options")({
  limit: withDefault(1000, assertCount),
  signal: assertOptionalSignal,
});

const SEND_NAMES = namesOf<QueueSendOptions>({ tx: true, signal: true });

/**
 * Validates the options of `send`, except for `tx`. The options are read by hand, for each message.
 */
export function readSendOptions<Tx>(
  options: QueueSendOptions<Tx> = {},
): Settings<QueueSendOptions<Tx>, never> {
  assertObject("options", options);
  assertNames("options", options, SEND_NAMES);
  const { tx, signal } = options;
  assertOptionalSignal("signal", signal);
  return { tx, signal };
}
