/**
 * `prepareIteration` functions that limit the messages and tools that a model receives, and the
 * repair of stored transcripts.
 *
 * - {@linkcode compactHistory} replaces old messages with a summary when a conversation becomes too
 *   long.
 * - {@linkcode toolSearch} shows the model a few tools at a time, and lets the model search for
 *   more tools.
 * - {@linkcode prepareInTurn} combines several `prepareIteration` functions.
 * - {@linkcode repairTranscript} repairs a stored conversation, for example after the program that
 *   wrote it has crashed.
 *
 * `prepareIteration` functions change only the messages and tools that are sent to the model. The
 * transcript of the run stays complete.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { compactHistory, prepareInTurn, toolSearch } from "@parley/runtime/context";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const small = scriptedModel([]); // writes the summaries
 * const model = scriptedModel([{ text: "Hello" }]);
 * const search = toolSearch({ always: ["read"] });
 * const agent = new ToolLoopAgent({
 *   name: "clerk",
 *   model,
 *   prepareIteration: prepareInTurn(
 *     compactHistory({ model: small, maxInputTokens: 150_000 }),
 *     search.prepareIteration,
 *   ),
 * });
 * agent.registry.register(search.tool);
 * for (const name of ["read", "write", "rename"]) {
 *   agent.registry.register({ name, inputSchema: { type: "object" }, execute: () => "ok" });
 * }
 * await agent.initialize();
 * await agent.run("Hi");
 * assertEquals(model.requests[0]?.tools.map(({ name }) => name), ["find_tools", "read"]);
 * ```
 *
 * @module
 */

export { compactHistory, type CompactOptions } from "./context/compact_history.ts";
export { prepareInTurn } from "./context/prepare_in_turn.ts";
export { repairTranscript } from "./context/repair_transcript.ts";
export { type ToolSearch, toolSearch, type ToolSearchOptions } from "./context/tool_search.ts";
