/**
 * Agents that several protocols serve to authenticated callers.
 *
 * An endpoint, such as one for A2A or for clients of the OpenAI API, is a function from a request
 * to a response. All endpoints of an agent share a {@linkcode ServedAgent}, which starts, finds,
 * lists, reads, continues and cancels runs, each for a caller. {@linkcode serveSessions} creates
 * one whose conversations are sessions, and {@linkcode serveRuns} one whose runs are durable.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { serveSessions } from "@parley/runtime/serve";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * await using served = serveSessions({
 *   storage: memoryStorage(),
 *   make: () => new ToolLoopAgent({ name: "shop", model }),
 * });
 * const ann = { subject: "ann" };
 * const run = await served.start(ann, { turn: "Hi" });
 * assertEquals((await run.settled()).result?.finalText, "Hello");
 * assertEquals((await served.get(ann, run.id))?.state.status, "done");
 * assertEquals(await served.get({ subject: "bob" }, run.id), undefined);
 * ```
 *
 * This module does not authenticate callers: an endpoint receives the caller from the HTTP server,
 * for example from `resourceServer` of `@parley/mcp/auth`.
 *
 * @module
 */

export type {
  Caller,
  Principal,
  ServedAgent,
  ServedContext,
  ServedHandler,
  ServedRun,
  ServedRunFilter,
  ServedRunPage,
  ServedRunStart,
  ServedRunState,
} from "./serve/contracts.ts";
export { type BearerOptions, withBearer } from "./serve/with_bearer.ts";
export { serveRuns, type ServeRunsOptions } from "./serve/serve_runs.ts";
export { toServedContext } from "./serve/served_durable_run.ts";
export { serveSessions } from "./serve/serve_sessions.ts";
export type { ServedRunContext, ServeSessionsOptions } from "./serve/serve_sessions_options.ts";
export { ServedSessions } from "./serve/served_sessions.ts";
