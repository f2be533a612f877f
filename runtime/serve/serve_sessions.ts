/**
 * Serves an agent whose conversations are sessions.
 *
 * @module
 */

import type { ServeSessionsOptions } from "./serve_sessions_options.ts";
import { ServedSessions } from "./served_sessions.ts";

/**
 * Serves an agent whose conversations are sessions: each caller has separate sessions, whose runs
 * belong to no connection. See {@linkcode ServedSessions}.
 *
 * The storage must belong to this agent alone: an agent continues all sessions of its storage. In
 * PostgreSQL, agents can have different schemas of one database.
 *
 * @param options Agent, storage and limits.
 * @throws {TypeError} If an option is missing, unknown or has the wrong type.
 * @throws {RangeError} If a number is out of range.
 *
 * @example Serve an agent to two callers
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { serveSessions } from "@parley/runtime/serve";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using served = serveSessions({
 *   storage: memoryStorage(),
 *   make: ({ caller }) =>
 *     new ToolLoopAgent({
 *       name: "shop",
 *       model: scriptedModel([{ text: `Hello ${caller?.subject}` }]),
 *     }),
 * });
 * const ann = { subject: "ann" };
 * const run = await served.start(ann, { turn: "Hi", sessionId: "chat-1" });
 * const { result } = await run.settled();
 * assertEquals(result?.finalText, "Hello ann");
 * assertEquals((await served.messages(ann, "chat-1")).length, 2);
 * assertEquals(await served.messages({ subject: "bob" }, "chat-1"), []);
 * ```
 */
export function serveSessions(options: ServeSessionsOptions): ServedSessions {
  return new ServedSessions(options);
}
