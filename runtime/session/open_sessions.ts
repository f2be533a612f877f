/**
 * Opens sessions that several processes serve.
 *
 * @module
 */

import type { Schema } from "../shared/typed_schema.ts";
import { Sessions } from "./sessions.ts";
import type { SessionsOptions } from "./sessions_options.ts";

/**
 * Opens sessions that any number of processes serve together. See {@linkcode Sessions}.
 *
 * @param options Agent, storage and limits.
 * @throws {TypeError} If an option is missing, unknown or has the wrong type.
 * @throws {RangeError} If a number is out of range.
 *
 * @example Send a message and read the response from a second connection
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryStorage, openSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "shop", model }),
 * });
 * await sessions.send("chat-1", "Hi");
 * let text = "";
 * for await (const { event } of await sessions.attach("chat-1") ?? []) {
 *   if (event.type === "text_delta") text += event.text;
 * }
 * assertEquals(text, "Hello");
 * assertEquals((await sessions.state("chat-1")).runs.length, 1);
 * ```
 */
export function openSessions<S extends Schema>(options: SessionsOptions<S>): Sessions {
  return new Sessions(options);
}
