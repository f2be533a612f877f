/**
 * Utilities for testing agents: a scripted model, a recorder for real models, gates that replace
 * sleeps, a conversation check, a clock and checks for durable-run engines, and checks for stores
 * of budgets.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 * assertEquals((await agent.run("Hi")).finalText, "Hello");
 * ```
 *
 * @module
 */

export { type BudgetStoreCheck, budgetStoreChecks } from "./budget/budget_store_checks.ts";
export type { EngineCheck, EngineCheckOptions } from "./runs/checks/engine_check.ts";
export { runJournalChecks } from "./runs/checks/journal.ts";
export { createManualClock, type ManualClock } from "./runs/manual_clock.ts";
export { runQueueChecks } from "./runs/checks/queue.ts";
export type { RunLogCheck, RunLogCheckOptions, RunLogOwner } from "./log/checks/log_check.ts";
export { runLogChecks } from "./log/checks/run_log_checks.ts";
export { sessionStorageChecks } from "./session/checks/storage_checks.ts";
export { findTranscriptViolation } from "./shared/transcript.ts";
export {
  type RecordedFailure,
  type RecordedResponse,
  type RecordedTurn,
  type RecordingModel,
  recordModel,
  type RecordModelOptions,
} from "./testing/record_model.ts";
export { createGate, type Gate } from "./testing/gate.ts";
export {
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedFailure,
  type ScriptedModel,
  scriptedModel,
  type ScriptedTurn,
} from "./testing/scripted_model.ts";
