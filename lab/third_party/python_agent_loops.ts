/**
 * Third-party agent loops in Python.
 *
 * @module
 */

import type { Note, ThirdPartySubject } from "./subject.ts";

const FOLDER = "lab/drivers/third_party/python";
const PYTHON = `env PYTHONPATH=${FOLDER}:${FOLDER}/agent_loops {build}/bin/python ${FOLDER}`;
const COMMON = {
  language: "python",
  library: "runtime",
  build: "python/agent_loops",
} as const;

const SETUP =
  "The driver derives the result of a run from the messages and responses that the library returns. " +
  "An approval handler is called between two runs, as the documentation shows.";

const ABORTED: Note = {
  cases: ["runtime/abort/during-*", "runtime/abort/tool-that-ignores-it"],
  text: "A run is aborted by cancelling its task, which leaves no result of the completed steps.",
};
const PENDING: Note = {
  cases: [
    "runtime/approval/deferred",
    "runtime/approval/decision-*",
  ],
  text: "A call that waits for a decision has no result in the messages until the caller decides.",
};
const FINISH_REASONS: Note = {
  cases: ["runtime/loop/calls-cut-off-*", "runtime/loop/text-cut-off-*"],
  text: "The loop does not read the finish reason: a truncated response is treated as complete.",
};
const CUT_CALLS: Note = {
  cases: ["runtime/wire-anthropic/cut-call", "runtime/wire-anthropic/no-execution-of-a-cut-call"],
  text: "A call is executed although the token limit has cut the response off.",
};
const MODEL_ERRORS: Note = {
  cases: ["runtime/model/error-carries-partial-output", "runtime/model/first-call-fails"],
  text: "A model error is raised unchanged, without the completed steps.",
};
const RETRIES: Note = {
  cases: ["runtime/model/default-retries"],
  text: "Model calls are not retried unless the model or the caller does so.",
};
const SCHEMAS: Note = {
  cases: [
    "runtime/registry/json-schema-keywords",
    "runtime/registry/schema-without-type",
    "runtime/tools/input-*",
    "runtime/wire-openai-chat/no-execution-against-the-schema",
  ],
  text:
    "A plain JSON Schema is passed to the model, but the input of a call is not validated against the schema.",
};
const LIMITS = [
  "runtime/loop/final-text-of-a-last-call",
  "runtime/stop/limit-*",
  "runtime/stop/lower-limit-*",
] as const;
const DEFAULT_LIMITS = [
  "runtime/stop/default-limit",
  "runtime/stop/default-limit-of-an-agent",
] as const;
const BAD_LIMITS = ["runtime/stop/bad-limits", "runtime/stop/bad-limits-of-conditions"] as const;
const THROWING_TOOLS = [
  "runtime/tools/tool-throws",
  "runtime/tools/no-stack",
  "runtime/tools/one-of-three-throws",
] as const;

/** The agent loops in Python, with notes on their failing cases. */
export const PYTHON_AGENT_LOOPS: readonly ThirdPartySubject[] = [
  {
    ...COMMON,
    name: "pydantic-ai",
    title: "Pydantic AI, Agent",
    package: "pydantic-ai-slim",
    version: "2.68.0",
    access: { kind: "driver", command: `${PYTHON}/agent_loops/pydantic_ai_loop.py` },
    setup: `${SETUP} Tools come from \`Tool.from_schema()\`, and the limit is a \`request_limit\`.`,
    notes: [
      ABORTED,
      PENDING,
      FINISH_REASONS,
      CUT_CALLS,
      MODEL_ERRORS,
      RETRIES,
      SCHEMAS,
      {
        cases: ["runtime/loop/empty-answer"],
        text: "After an empty response, the model is called again.",
      },
      {
        cases: ["runtime/loop/content-filtered"],
        text: "A filtered response that contains text is treated as complete.",
      },
      {
        cases: ["runtime/loop/*-call-ids"],
        text:
          "Duplicate or empty call ids in one response end the run with an `UnexpectedModelBehavior`.",
      },
      {
        cases: ["runtime/loop/call-ids-of-earlier-answers"],
        text: "A call id that an earlier response used is accepted.",
      },
      {
        cases: LIMITS,
        text:
          "A run that reaches its limit raises a `UsageLimitExceeded`, without the completed steps.",
      },
      { cases: DEFAULT_LIMITS, text: "The default limit is 50 model calls." },
      { cases: BAD_LIMITS, text: "`UsageLimits` accepts any number." },
      {
        cases: THROWING_TOOLS,
        text: "An exception in a tool ends the run, unless it is a `ModelRetry` or a `ToolFailed`.",
      },
      {
        cases: ["runtime/tools/returns-a-*"],
        text:
          "A tool result that JSON cannot represent ends the run with a `PydanticSerializationError`.",
      },
    ],
  },
  {
    ...COMMON,
    name: "openai-agents-python",
    title: "OpenAI Agents SDK for Python, Runner",
    package: "openai-agents",
    version: "0.24.0",
    access: { kind: "driver", command: `${PYTHON}/agent_loops/openai_agents_loop.py` },
    setup:
      `${SETUP} Tools are \`FunctionTool\` objects that return the SDK's default message if they fail; tool results are texts.`,
    notes: [
      ABORTED,
      PENDING,
      FINISH_REASONS,
      MODEL_ERRORS,
      RETRIES,
      {
        cases: [
          "runtime/approval/not-asked-about-the-impossible",
          "runtime/tools/unknown-tool",
          "runtime/tools/valid-and-invalid-side-by-side",
        ],
        text: "A call to an unknown tool ends the run with a `ModelBehaviorError`.",
      },
      SCHEMAS,
      {
        cases: ["runtime/loop/final-text-is-joined"],
        text: "The final output is the text of the last message of the response.",
      },
      {
        cases: ["runtime/loop/*-call-ids"],
        text:
          "Duplicate or empty call ids in one response end the run with a `ModelBehaviorError`.",
      },
      {
        cases: ["runtime/loop/call-ids-of-earlier-answers"],
        text: "A call id that an earlier response used is accepted.",
      },
      {
        cases: [...LIMITS, ...DEFAULT_LIMITS],
        text:
          "A run that reaches its turn limit raises a `MaxTurnsExceeded`. The default limit is 10 turns.",
      },
      { cases: BAD_LIMITS, text: "`max_turns` accepts any number." },
      {
        cases: ["runtime/tools/tool-throws", "runtime/tools/one-of-three-throws"],
        text: "The default message for a failed tool does not contain the reason.",
      },
      {
        cases: ["runtime/tools/returns-a-*"],
        text: "A tool result that is not a string is converted with `str()`.",
      },
    ],
  },
  {
    ...COMMON,
    name: "langchain",
    title: "LangChain agents on LangGraph, create_agent",
    package: "langchain",
    version: "1.4.7",
    access: { kind: "driver", command: `${PYTHON}/agent_loops/langgraph_loop.py` },
    setup:
      `${SETUP} The limit is set by a \`ModelCallLimitMiddleware\`, and approvals are requested by a \`HumanInTheLoopMiddleware\`.`,
    notes: [
      ABORTED,
      PENDING,
      FINISH_REASONS,
      CUT_CALLS,
      MODEL_ERRORS,
      RETRIES,
      {
        cases: [
          "runtime/tools/input-is-not-json",
          "runtime/tools/input-is-an-empty-text-with-required-members",
          "runtime/tools/input-is-an-array",
          "runtime/tools/input-is-a-text",
        ],
        text:
          "A call whose input is not a JSON object is an invalid call, which ends the run without a result for the call.",
      },
      SCHEMAS,
      {
        cases: [
          "runtime/approval/each-call-for-itself",
          "runtime/approval/not-asked-about-the-impossible",
        ],
        text:
          "The results of rejected and unknown calls come before those of the other calls of the response.",
      },
      {
        cases: ["runtime/loop/content-filtered"],
        text: "A filtered response that contains text is treated as complete.",
      },
      {
        cases: ["runtime/loop/*-call-ids", "runtime/loop/call-ids-of-earlier-answers"],
        text: "Duplicate and empty call ids are passed through unchanged.",
      },
      {
        cases: [...LIMITS, "runtime/tools/inherited-names"],
        text:
          "A run that reaches its limit ends with a message that names the limit, which is also the final text.",
      },
      { cases: DEFAULT_LIMITS, text: "The default limit is 9,999 graph steps." },
      { cases: BAD_LIMITS, text: "The limits 0, -1 and 1.5 are accepted." },
      {
        cases: THROWING_TOOLS,
        text:
          "An exception in a tool ends the run, unless it is a `ToolException` that the tool handles.",
      },
      {
        cases: ["runtime/tools/returns-a-*"],
        text:
          "A tool result that is not a string is converted with `str()` if JSON cannot represent it.",
      },
    ],
  },
  {
    ...COMMON,
    build: "python/google_adk",
    name: "google-adk",
    title: "Google ADK, LlmAgent",
    package: "google-adk",
    version: "2.13.0",
    access: { kind: "driver", command: `${PYTHON}/google_adk/google_adk_loop.py` },
    setup: `${SETUP} The limit is \`max_llm_calls\`, and approvals are tool confirmations. ` +
      "The driver removes the sentence with the agent's name that ADK adds to the instructions.",
    notes: [
      ABORTED,
      PENDING,
      MODEL_ERRORS,
      RETRIES,
      {
        cases: ["runtime/approval/denied"],
        text: "The result of a rejected call is fixed text without the reason.",
      },
      {
        cases: ["runtime/loop/*-call-ids", "runtime/loop/call-ids-of-earlier-answers"],
        text: "Duplicate and empty call ids are passed through unchanged.",
      },
      {
        cases: ["runtime/loop/text-cut-off-*", "runtime/loop/content-filtered"],
        text:
          "The loop does not read the finish reason: a truncated or filtered response with text is treated as complete.",
      },
      {
        cases: LIMITS,
        text:
          "A run that reaches its limit raises an `LlmCallsLimitExceededError`, without the completed steps.",
      },
      { cases: DEFAULT_LIMITS, text: "The default limit is 500 model calls." },
      { cases: BAD_LIMITS, text: "The limits 0 and -1 are accepted, and mean no limit." },
      {
        cases: [
          "runtime/registry/json-schema-keywords",
          "runtime/tools/input-*",
          "runtime/tools/valid-and-invalid-side-by-side",
        ],
        text:
          "A plain JSON Schema is passed to the model, but the input of a call is not validated against the schema.",
      },
      {
        cases: ["runtime/stop/tool-ends-the-run"],
        text: "The driver does not translate a tool's request to end the run.",
      },
      {
        cases: [...THROWING_TOOLS, "runtime/tools/long-error-is-cut"],
        text:
          "An exception in a tool ends the run, unless the agent has an `on_tool_error_callback`.",
      },
      {
        cases: ["runtime/tools/many-tools-are-cut"],
        text: "The result of a call to an unknown tool contains the names of all tools.",
      },
      {
        cases: ["runtime/tools/returns-a-*"],
        text: "A tool result that JSON cannot represent ends the run with an exception.",
      },
    ],
  },
];
