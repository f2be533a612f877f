/**
 * The conformance kit: test cases for implementations of the Parley specification in any language.
 *
 * The cases are JSON files. {@linkcode loadSuite} loads the kit's cases, {@linkcode readSuite}
 * reads custom cases, and {@linkcode run} runs them against an implementation.
 *
 * @example Find a case
 * ```ts
 * import { loadSuite } from "@parley/conformance";
 * import { assertEquals } from "@std/assert";
 *
 * const found = loadSuite().get("comm/canonical-json/sample");
 * assertEquals(found?.level, "MUST");
 * ```
 *
 * @module
 */

export {
  type Case,
  type CaseHeader,
  CaseKind,
  CaseLevel,
  type CaseNeeds,
  type ExchangeCase,
  type ExpectedError,
  type ExpectedOutcome,
  type HostAnswer,
  type HostAnswerHead,
  type HostScript,
  type HostStep,
  type InvariantCase,
  type ListCall,
  type LoopCase,
  type Matcher,
  type ModelTurn,
  type OpCall,
  type OpStep,
  type ProviderCase,
  type RpcCall,
  type ScriptCase,
  type Thrown,
  type VectorCase,
  type VectorRow,
  type WireStep,
} from "./kit/case.ts";
export type { EventToSend, HttpBody, HttpCall, HttpHead } from "./kit/http_message.ts";
export type { HttpStep } from "./kit/http_step.ts";
export {
  type AnswerCall,
  type ProviderAnswer,
  ProviderApi,
  type ProviderReply,
  type ProviderTurn,
} from "./kit/provider_turn.ts";
export { ErratumEffect } from "./kit/errata.ts";
export { KitError, KitErrorCode } from "./kit/error.ts";
export type { JsonObject, JsonValue } from "./kit/json.ts";
export { readSuite, type Suite } from "./kit/load_cases.ts";
export { type Captures, findMismatch, type Mismatch } from "./kit/match_value.ts";
export { type Baseline, type BaselineEntry, type StaleEntry } from "./kit/baseline.ts";
export { countResults, type Counts, exitCode, type Tally } from "./kit/counts.ts";
export { Profile, type UncountedState } from "./kit/profile.ts";
export type { Implementation, Report, ReportedErratum, ReportedSet } from "./kit/report.ts";
export { selectCases, type Selection } from "./kit/select_cases.ts";
export {
  type AppliedErratum,
  type CaseResult,
  type CaseRun,
  type Difference,
  Verdict,
} from "./kit/verdict.ts";
export type { DriverSubject } from "./runner/driver_executor.ts";
export { run, type RunOptions } from "./runner/run.ts";
export type { Subject } from "./runner/subject.ts";
export { loadSuite } from "./suite.ts";
