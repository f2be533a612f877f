/**
 * Run events as JSON, for logs, command-line programs and web pages.
 *
 * {@linkcode toEventJson} converts an event to JSON, without repeating messages.
 * {@linkcode readEventJson} validates an event that was received as JSON.
 * {@linkcode liveEventResponse} streams the events of a session's run over HTTP.
 *
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { toEventJson } from "@parley/runtime/events";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const lines: string[] = [];
 * await runToolLoop({
 *   model: scriptedModel([{ text: "Hello" }]),
 *   registry: new ToolRegistry(),
 *   onEvent: (event) => lines.push(JSON.stringify(toEventJson(event))),
 *   now: () => 0,
 *   runId: "r",
 * }, "Hi");
 * assertEquals(
 *   lines[1],
 *   '{"type":"iteration_started","runId":"r","path":["agent"],"at":0,"iteration":0}',
 * );
 * ```
 *
 * @module
 */

export { type LoopEventJson, readEventJson, toEventJson } from "./loop/event_json.ts";
export { type LiveEventOptions, liveEventResponse } from "./log/live_event_response.ts";
