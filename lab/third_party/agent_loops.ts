/**
 * Third-party agent loops.
 *
 * @module
 */

import type { ThirdPartySubject } from "./subject.ts";

/** The agent loops, with notes on their failing cases. */
export const AGENT_LOOPS: readonly ThirdPartySubject[] = [
  {
    name: "ai-sdk",
    title: "AI SDK, ToolLoopAgent",
    package: "ai",
    version: "7.0.173",
    language: "typescript",
    library: "runtime",
    access: { kind: "driver", command: "{third_party} lab/drivers/third_party/ai_sdk.ts" },
    setup:
      "The driver builds conversations as the documentation describes: instructions, prompt, then the response messages. " +
      "If a case has no stop condition, the library's default limit applies. " +
      "Token and call limits are custom conditions on the steps, a final call without tools is configured by `prepareStep`, " +
      "tools that change between runs come from `prepareCall`, a sub-agent is called in a tool's `execute`, " +
      "and spans come from `@ai-sdk/otel`. " +
      "A saved run consists of the messages of its completed steps, from which a new run continues. " +
      "A final answer's schema is passed as `Output.object()`, and a hidden tool is omitted from `activeTools`.",
    notes: [
      {
        cases: ["runtime/abort/during-*"],
        text: "An aborted run rejects with an `AbortError`, without the completed steps.",
      },
      {
        cases: ["runtime/abort/tool-that-ignores-it", "runtime/tools/late-result-is-ignored"],
        text: "After an abort or a timeout, a run waits for a tool that ignores its signal.",
      },
      {
        cases: ["runtime/approval/throwing-handler-denies"],
        text:
          "If an approval function throws, the run rejects with that error. The call is not executed, and earlier steps are lost.",
      },
      {
        cases: [
          "runtime/approval/deferred",
          "runtime/approval/decision-*",
          "runtime/approval/unmatched-call-is-deferred-again",
          "runtime/journal/deferred-approval",
          "runtime/journal/deferred-approval-denied",
        ],
        text:
          "A call with a pending approval has no result in the messages until the caller adds the decision.",
      },
      {
        cases: ["runtime/loop/calls-cut-off-*"],
        text: "Tool calls in a truncated response are not executed. " +
          "Model providers reject the resulting conversation, because its complete calls have no results.",
      },
      {
        cases: ["runtime/loop/*-call-ids", "runtime/loop/call-ids-*"],
        text: "Duplicate and empty call ids are passed through unchanged.",
      },
      {
        cases: ["runtime/model/error-carries-partial-output", "runtime/model/first-call-fails"],
        text: "The provider's error is thrown unchanged, without the completed steps.",
      },
      {
        cases: ["runtime/model/finish-error"],
        text:
          "A response with the finish reason `error` ends the run as if the response were complete.",
      },
      {
        cases: ["runtime/model/malformed-*"],
        text:
          "Responses of a custom model are not validated: a malformed response causes a `TypeError`, is accepted, or leads to a further model call.",
      },
      {
        cases: ["runtime/model/long-retry-delay"],
        text:
          "If a provider requests a delay of more than a minute, the model call is retried after the SDK's own delay.",
      },
      {
        cases: ["runtime/sub-agent/usage-*"],
        text: "The usage of an agent that a tool calls is not part of the total usage of the run.",
      },
      {
        cases: ["runtime/telemetry/no-content*", "runtime/telemetry/*-attributes"],
        text:
          "Spans contain messages, tool inputs and tool results unless `recordInputs` and `recordOutputs` are false.",
      },
      {
        cases: [
          "runtime/telemetry/spans",
          "runtime/telemetry/sub-agent",
          "runtime/telemetry/denied-call",
          "runtime/telemetry/provider-and-usage",
          "runtime/telemetry/retried-call",
          "runtime/telemetry/span-in-tool",
        ],
        text:
          "Each step has a span named `step N`, which is the parent of the spans of its model call and its tools.",
      },
      {
        cases: ["runtime/telemetry/failed-*"],
        text: "The span of a failed call has an error status, but no `error.type` attribute.",
      },
      {
        cases: ["runtime/tools/chosen-error-data"],
        text:
          "The model receives the text of a tool's error, which begins with the name of the error.",
      },
      {
        cases: ["runtime/stop/default-limit", "runtime/stop/default-limit-of-an-agent"],
        text: "The default limit of a run is 20 steps instead of 10.",
      },
      {
        cases: ["runtime/stop/bad-limits", "runtime/stop/bad-limits-of-conditions"],
        text: "`isStepCount()` accepts any number; the limits 0, -1 and 1.5 are never reached.",
      },
      {
        cases: [
          "runtime/stop/custom-condition",
          "runtime/stop/tool-called",
          "runtime/stop/tool-call-budget",
          "runtime/stop/token-limit-is-exceeded",
          "runtime/stop/limit-finalizes",
        ],
        text: "The result of a run does not contain the stop condition that ended the loop.",
      },
      {
        cases: ["runtime/stop/checked-after-each-iteration"],
        text: "A step without tool calls ends the loop before the stop conditions are checked.",
      },
      {
        cases: ["runtime/stop/throwing-condition"],
        text:
          "If a stop condition throws, the run rejects with that error, without the completed steps.",
      },
      {
        cases: [
          "runtime/tools/input-*",
          "runtime/tools/valid-and-invalid-side-by-side",
          "runtime/registry/json-schema-keywords",
        ],
        text:
          "Inputs are not validated against a plain JSON Schema unless `jsonSchema()` receives a `validate` function. " +
          "(Zod schemas and schemas of other validators are supported.)",
      },
      {
        cases: ["runtime/tools/returns-a-*"],
        text:
          "A tool result that JSON cannot represent makes the run reject with a `TypeError`, or is dropped silently.",
      },
      {
        cases: ["runtime/tools/*-are-cut", "runtime/tools/*-is-cut"],
        text: "Tool results are not truncated.",
      },
      {
        cases: [
          "runtime/journal/killed-in-the-second-model-call",
          "runtime/journal/unknown-outcome-is-told",
          "runtime/prepare/recorded-tools",
        ],
        text:
          "A run that continues from saved messages is a new run: its result contains only its own steps, " +
          "and a step that was interrupted is repeated from its model call.",
      },
      {
        cases: ["runtime/loop/provider-executed-call"],
        text:
          "A `toolApproval` function is also called for tool calls that the provider has executed.",
      },
      {
        cases: [
          "runtime/output/text-instead-of-a-call",
          "runtime/output/call-required-once",
          "runtime/output/native-code-block",
        ],
        text:
          "A final text that is not JSON makes the run reject with an `AI_NoObjectGeneratedError`. The model is not called again.",
      },
      {
        cases: ["runtime/output/native-invalid"],
        text:
          "The output is not validated against a plain JSON Schema unless `jsonSchema()` receives a `validate` function.",
      },
      {
        cases: ["runtime/output/at-the-iteration-limit"],
        text:
          "A run that reaches its limit has no output: the model is not called again to produce one.",
      },
      {
        cases: ["runtime/output/truncated-answer"],
        text: "The text of a truncated response is parsed as the output if it is valid JSON.",
      },
      {
        cases: ["runtime/output/schema-of-an-array"],
        text: "`Output.object()` accepts a schema of any type.",
      },
      {
        cases: ["runtime/prepare/model-prompt-and-settings", "runtime/prepare/messages-sent-once"],
        text:
          "Instructions and messages that `prepareStep` returns stay in effect for the following steps, as documented.",
      },
      {
        cases: [
          "runtime/prepare/append",
          "runtime/prepare/history-stays",
          "runtime/prepare/resumed-run",
        ],
        text:
          "Messages that `prepareStep` returns are sent to the model, but are not part of the result of the run.",
      },
      {
        cases: ["runtime/prepare/view-orphans-a-result"],
        text:
          "Messages that `prepareStep` returns are sent even if they contain a tool result without its call.",
      },
      {
        cases: ["runtime/prepare/exception"],
        text:
          "If `prepareStep` throws, the run rejects with that error, without the completed steps.",
      },
      {
        cases: [
          "runtime/tools/duplicate-tool",
          "runtime/tools/bad-names",
          "runtime/registry/schema-*",
        ],
        text:
          "Tools are the properties of an object: any names and schemas are accepted, and a second tool with the same name replaces the first.",
      },
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
      command: "{third_party} lab/drivers/third_party/openai_agents.ts",
    },
    setup:
      "The SDK represents a conversation as a flat list of items; the items of one response form one message in this report. " +
      "The SDK's model interface has no finish reasons (the items of a truncated response have the status `incomplete`), " +
      "and its tool results are strings. Stop conditions are implemented as a `toolUseBehavior`, whose final output is the first tool result, " +
      "a sub-agent is a tool created by `asTool()`, a saved run is a serialized `RunState`, " +
      "a final answer's schema is passed as `outputType`, a hidden tool has `isEnabled: false`, " +
      "a tool that the provider executes is a hosted tool, whose result is a string, and the scripted model records a generation span as the SDK's models do.",
    notes: [
      {
        cases: ["runtime/abort/during-*"],
        text: "An aborted run rejects with an `AbortError`, without the completed steps.",
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
          "runtime/tools/unregistered",
          "runtime/model/malformed-call-without-a-name",
          "runtime/registry/hidden-tool-*",
          "runtime/sub-agent/allowed-tools-only",
          "runtime/sub-agent/no-tools",
        ],
        text:
          "A call to an unknown tool ends the run with a `ModelBehaviorError`, unless the option `toolNotFoundBehavior` " +
          "makes the SDK send an error message to the model. A `ModelBehaviorError` carries no data other than its message.",
      },
      {
        cases: ["runtime/loop/empty-answer"],
        text:
          "An empty response does not end the run: the model is called again, until the run reaches its turn limit.",
      },
      {
        cases: [
          "runtime/loop/final-text-of-a-last-call",
          "runtime/stop/limit-*",
          "runtime/stop/default-limit",
          "runtime/stop/default-limit-of-an-agent",
          "runtime/stop/lower-limit-*",
        ],
        text:
          "A run that reaches its turn limit rejects with a `MaxTurnsExceededError`, unless an error handler provides a final output. " +
          "The error exposes the state of the run, but neither the turn limit nor the tool names.",
      },
      {
        cases: ["runtime/loop/*-call-ids"],
        text: "An empty or duplicate call id ends the run with a `ModelBehaviorError`.",
      },
      {
        cases: ["runtime/loop/call-ids-of-earlier-answers"],
        text:
          "A call id that an earlier response used is accepted, so two results have the same id.",
      },
      {
        cases: ["runtime/model/error-carries-partial-output", "runtime/model/first-call-fails"],
        text: "The provider's error is thrown unchanged, without the completed turns.",
      },
      {
        cases: [
          "runtime/model/default-retries",
          "runtime/model/short-retry-delay",
          "runtime/telemetry/retried-call",
        ],
        text: "Model calls are not retried unless the caller sets a retry policy.",
      },
      {
        cases: ["runtime/stop/bad-limits", "runtime/stop/bad-limits-of-conditions"],
        text: "`maxTurns` accepts any number.",
      },
      {
        cases: ["runtime/approval/unmatched-call-is-deferred-again"],
        text:
          "An approved call is executed while another call of the same response is still pending.",
      },
      {
        cases: ["runtime/loop/calls-cut-off-*", "runtime/loop/text-cut-off-*"],
        text:
          "Items with the status `incomplete` are treated as complete: the calls are executed, and text ends the run.",
      },
      {
        cases: ["runtime/loop/conversation-with-an-open-call"],
        text: "A conversation in which a call has no result is sent to the model.",
      },
      {
        cases: [
          "runtime/model/malformed-nothing",
          "runtime/model/malformed-text",
          "runtime/model/malformed-number",
          "runtime/model/malformed-empty-object",
          "runtime/model/malformed-*-content",
          "runtime/model/malformed-null-part",
          "runtime/model/malformed-part-without-text",
          "runtime/model/malformed-unknown-part",
          "runtime/model/malformed-second-answer",
        ],
        text:
          "Responses of a custom model are not validated: a malformed response causes a `TypeError`, is accepted, or leads to a further model call.",
      },
      {
        cases: ["runtime/stop/context", "runtime/stop/checked-after-each-iteration"],
        text:
          "A `toolUseBehavior` function receives the usage and the tool results, but neither the number of the turn nor a finish reason.",
      },
      {
        cases: [
          "runtime/stop/custom-condition",
          "runtime/stop/token-limit-is-exceeded",
          "runtime/stop/tool-call-budget",
          "runtime/sub-agent/usage-counts-against-a-budget",
        ],
        text: "The result of a run does not contain the stop condition that ended the run.",
      },
      {
        cases: ["runtime/stop/stops-before-a-second-call"],
        text:
          "The final output of a run that a `toolUseBehavior` ends is a string that the function chooses, not the text of the response.",
      },
      {
        cases: ["runtime/stop/throwing-condition"],
        text:
          "If a `toolUseBehavior` function throws, the run rejects with that error, without the completed turns.",
      },
      {
        cases: ["runtime/telemetry/no-content*"],
        text:
          "Spans contain messages, tool inputs and tool results unless `traceIncludeSensitiveData` is false.",
      },
      {
        cases: [
          "runtime/telemetry/spans",
          "runtime/telemetry/sub-agent",
          "runtime/telemetry/denied-call",
          "runtime/telemetry/provider-and-usage",
          "runtime/telemetry/failed-*",
          "runtime/telemetry/*-attributes",
          "runtime/telemetry/span-in-tool",
        ],
        text:
          "Traces are in the SDK's own format: the names and data of the spans do not follow the semantic conventions of OpenTelemetry.",
      },
      {
        cases: [
          "runtime/tools/bad-names",
          "runtime/tools/duplicate-tool",
          "runtime/registry/schema-*",
        ],
        text:
          "An agent's list of tools accepts any names and schemas. A duplicate name has an effect only when the agent runs.",
      },
      {
        cases: [
          "runtime/tools/tool-throws",
          "runtime/tools/one-of-three-throws",
          "runtime/tools/long-error-is-cut",
          "runtime/journal/failed-tool",
          "runtime/sub-agent/agent-tool-wrong-input",
        ],
        text:
          "If a tool throws, the model receives a generic error message, unless the tool has an `errorFunction`. " +
          "Only the wording of the error message shows that the tool failed.",
      },
      {
        cases: ["runtime/tools/input-*", "runtime/registry/json-schema-keywords"],
        text:
          "A plain JSON Schema is passed to the model, but inputs are validated only against Zod schemas.",
      },
      {
        cases: ["runtime/tools/returns-*"],
        text:
          "A tool result that JSON cannot represent is converted to a string: `undefined`, `1`, `()=>1`, `[object with circular references]`.",
      },
      {
        cases: ["runtime/tools/tool-error-throws"],
        text:
          "The error for a failed tool contains the tool's name and the reason only in its message.",
      },
      {
        cases: [
          "runtime/journal/finished-run",
          "runtime/journal/text-is-enough",
          "runtime/telemetry/replayed-steps",
        ],
        text:
          "The state of a finished run cannot be continued: the run rejects with a `UserError` instead of returning the result again.",
      },
      {
        cases: ["runtime/journal/unknown-outcome-is-told"],
        text:
          "A turn that was interrupted during a tool is repeated from its model call, so the tool can be executed twice.",
      },
      {
        cases: [
          "runtime/output/text-instead-of-a-call",
          "runtime/output/call-required-once",
          "runtime/output/native-code-block",
        ],
        text:
          "A final text that is not JSON makes the run reject with a `ModelBehaviorError`. The model is not called again.",
      },
      {
        cases: ["runtime/output/native-invalid"],
        text: "The output is validated only against Zod schemas, not against a JSON Schema.",
      },
      {
        cases: ["runtime/output/at-the-iteration-limit"],
        text:
          "A run that reaches its turn limit rejects with a `MaxTurnsExceededError`, without an output.",
      },
      {
        cases: ["runtime/output/truncated-answer"],
        text: "Incomplete text is parsed as the output if it is valid JSON.",
      },
      {
        cases: ["runtime/output/schema-of-an-array"],
        text: "`outputType` accepts a JSON Schema of any type.",
      },
      {
        cases: ["runtime/sub-agent/agent-tool-schema"],
        text: "The default input of an agent's tool is a string in the member `input`.",
      },
    ],
  },
];
