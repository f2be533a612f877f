/**
 * A run as a stream of events: a thin, bounded queue over the one engine.
 *
 * @module
 */

import type { LoopEvent } from "./event.ts";
import { assertLimit } from "./limits.ts";
import { controlToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./loop_options.ts";
import type { ToolLoopOutput } from "./output.ts";

/** The events of a run, in order; what it came to is the return value, and the `output` of the last event. */
export interface ToolLoopStream
  extends AsyncIterableIterator<LoopEvent, ToolLoopOutput | undefined> {
  /** Aborts the run, and waits for its end. Leaving a `for await` loop does this. */
  return(): Promise<IteratorReturnResult<ToolLoopOutput | undefined>>;
}

/** How a run is streamed. */
export interface StreamOptions {
  /** How many events may wait for the reader before the run waits for it. Default: 256. */
  readonly maxQueued?: number;
}

/**
 * Runs the loop and yields what happens. The run begins with the first `next()`.
 *
 * When the reader is slower than the run, the run waits for it: between the pieces of a streamed answer, and before each
 * model call and tool. The events of one batch of tools may exceed `maxQueued` for a moment.
 *
 * @param config the model, the tools, and how to behave
 * @param userMessage what the user says
 * @param options how much may wait
 * @returns the events; iterating rejects with what {@linkcode runToolLoop} rejects with, after the last event
 * @throws {RangeError} `maxQueued` is no positive integer
 *
 * @example Print an answer as it is written
 * ```ts
 * import { streamToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "One two" }]);
 * const pieces: string[] = [];
 * for await (const event of streamToolLoop({ model, registry: new ToolRegistry() }, "Count")) {
 *   if (event.type === "model_delta") pieces.push(event.delta.delta);
 * }
 * assertEquals(pieces, ["One ", "two"]);
 * ```
 */
export function streamToolLoop(
  config: ToolLoopConfig,
  userMessage: string,
  options: StreamOptions = {},
): ToolLoopStream {
  const { maxQueued = 256 } = options;
  assertLimit("maxQueued", maxQueued, 1);
  let loading: Promise<Pick<ToolLoopStream, "next" | "return">> | undefined;
  const load = (): NonNullable<typeof loading> =>
    loading ??= import("./loop_stream.ts").then(({ LoopStream }) =>
      new LoopStream(
        config,
        maxQueued,
        (changed, control) => controlToolLoop(changed, userMessage, control),
      )
    );
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: async () => await (await load()).next(),
    return: async () => await (await load()).return(),
  };
}
