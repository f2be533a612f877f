/**
 * Third-party agent loops.
 *
 * @module
 */

import type { ThirdPartySubject } from "./subject.ts";

/** The agent loops, with explanations of their failing cases. */
export const AGENT_LOOPS: readonly ThirdPartySubject[] = [
  {
    name: "ai-sdk",
    title: "AI SDK, ToolLoopAgent",
    package: "ai",
    version: "7.0.173",
    language: "typescript",
    library: "runtime",
    access: { kind: "driver", command: "{third_party} conformance/drivers/third_party/ai_sdk.ts" },
    setup:
      "Conversations are put together as its documentation shows: instructions, prompt, then the response messages. " +
      "Without a stop condition of the case, its own default limit holds.",
    notes: [
      {
        cases: ["runtime/abort/during-*"],
        text: "An aborted run rejects with an `AbortError`; what was done until then is lost.",
      },
      {
        cases: ["runtime/abort/tool-that-ignores-it", "runtime/tools/late-result-is-ignored"],
        text:
          "A run waits for a tool that ignores its signal, after an abort as well as after a time-out.",
      },
      {
        cases: ["runtime/approval/throwing-handler-denies"],
        text:
          "An approval function that throws ends the run with its error. Nothing is executed, and the steps before are lost.",
      },
      {
        cases: ["runtime/approval/deferred"],
        text:
          "A call that waits for a person stays in the messages without a result until the caller adds the decision.",
      },
      {
        cases: ["runtime/loop/calls-cut-off-*"],
        text:
          "Calls of an answer that was cut off are not executed, but those that could be read get no result either: the " +
          "run ends with messages that hold a call without one, which providers refuse.",
      },
      {
        cases: ["runtime/loop/*-call-ids", "runtime/loop/call-ids-*"],
        text: "Call ids go on as the model gives them, repeated and empty ones too.",
      },
      {
        cases: ["runtime/model/error-carries-partial-output", "runtime/model/first-call-fails"],
        text: "The provider's error comes through as it is, without the steps before it.",
      },
      {
        cases: ["runtime/model/finish-error"],
        text: "An answer with the finish reason `error` ends the run like a complete one.",
      },
      { cases: ["runtime/stop/default-limit"], text: "Its default limit is 20 steps, not 10." },
      {
        cases: ["runtime/stop/bad-limits"],
        text: "`isStepCount()` takes any number; 0, -1 and 1.5 are limits that are never reached.",
      },
      {
        cases: [
          "runtime/stop/custom-condition",
          "runtime/stop/tool-called",
        ],
        text: "The loop does end; the result does not tell which condition ended it.",
      },
      {
        cases: ["runtime/stop/checked-after-each-iteration"],
        text: "Conditions are not asked after the last step, when the model wants no tools.",
      },
      {
        cases: ["runtime/stop/throwing-condition"],
        text: "What a condition throws comes through as it is, without the steps before it.",
      },
      {
        cases: ["runtime/tools/input-*", "runtime/tools/valid-and-invalid-side-by-side"],
        text:
          "A plain JSON Schema is not checked unless `jsonSchema()` is given a `validate` function. (Schemas of Zod and " +
          "other validators are checked.)",
      },
      {
        cases: ["runtime/tools/returns-a-*"],
        text:
          "A tool's result that JSON cannot express fails the whole run with a `TypeError`, or is lost without a word.",
      },
      { cases: ["runtime/tools/*-are-cut", "runtime/tools/*-is-cut"], text: "Nothing is cut." },
    ],
  },
  {
    name: "openai-agents",
    title: "OpenAI Agents SDK, Runner",
    package: "@openai/agents",
    version: "0.20.0",
    language: "typescript",
    library: "runtime",
    access: {
      kind: "driver",
      command: "{third_party} conformance/drivers/third_party/openai_agents.ts",
    },
    setup:
      "Its conversations are flat lists of items; what one answer holds is one message here. Its model interface has no " +
      "finish reasons, and its tool results are text.",
    notes: [
      {
        cases: ["runtime/abort/during-*"],
        text: "An aborted run rejects with an `AbortError`; what was done until then is lost.",
      },
      {
        cases: ["runtime/abort/tool-that-ignores-it"],
        text: "An aborted run waits for a tool that ignores its signal.",
      },
      {
        cases: [
          "runtime/approval/not-asked-about-the-impossible",
          "runtime/tools/unknown-tool",
          "runtime/tools/unknown-tool-throws",
          "runtime/tools/valid-and-invalid-side-by-side",
          "runtime/tools/many-tools-are-cut",
        ],
        text:
          "A call of an unknown tool ends the run with a `ModelBehaviorError`, unless the option `toolNotFoundBehavior` " +
          "asks for a message to the model. The error's only data are its text.",
      },
      {
        cases: ["runtime/loop/empty-answer"],
        text: "An empty answer does not end the run: the model is asked again, up to the limit.",
      },
      {
        cases: [
          "runtime/loop/final-text-of-a-last-call",
          "runtime/stop/limit-*",
          "runtime/stop/default-limit",
        ],
        text:
          "The limit throws a `MaxTurnsExceededError`, unless an error handler makes up a final output. The error carries " +
          "the state of the run; limit and tools are not in its data.",
      },
      {
        cases: ["runtime/loop/*-call-ids"],
        text: "An empty or repeated call id ends the run with a `ModelBehaviorError`.",
      },
      {
        cases: ["runtime/loop/call-ids-of-earlier-answers"],
        text: "An id that an earlier answer used is taken over, so that two results have one id.",
      },
      {
        cases: ["runtime/model/error-carries-partial-output", "runtime/model/first-call-fails"],
        text: "The provider's error comes through as it is, without the turns before it.",
      },
      {
        cases: ["runtime/model/default-retries"],
        text: "Nothing is tried again unless the caller sets a policy for it.",
      },
      {
        cases: ["runtime/stop/bad-limits"],
        text: "`maxTurns` takes any number.",
      },
      {
        cases: [
          "runtime/tools/tool-throws",
          "runtime/tools/one-of-three-throws",
          "runtime/tools/long-error-is-cut",
        ],
        text:
          "The model is told that an error occurred, not which, unless the tool has an `errorFunction`; nothing but the text " +
          "marks the result as an error.",
      },
      {
        cases: ["runtime/tools/input-*"],
        text:
          "A plain JSON Schema is shown to the model, but inputs are not checked against it. (Those of Zod schemas are.)",
      },
      {
        cases: ["runtime/tools/returns-*"],
        text:
          "A result that JSON cannot express is sent as text: `undefined`, `1`, `()=>1`, `[object with circular references]`.",
      },
      {
        cases: ["runtime/tools/tool-error-throws"],
        text: "The error names the tool and its reason in its text only.",
      },
    ],
  },
];
