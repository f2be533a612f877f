/**
 * Third-party agent loops in Java.
 *
 * @module
 */

import type { ThirdPartySubject } from "./subject.ts";

/** The agent loops in Java, with notes on their failing cases. */
export const JAVA_AGENT_LOOPS: readonly ThirdPartySubject[] = [
  {
    name: "langchain4j",
    title: "LangChain4j, AiServices",
    package: "dev.langchain4j:langchain4j",
    version: "1.19.0",
    language: "java",
    library: "runtime",
    build: "java/langchain4j",
    access: {
      kind: "driver",
      command:
        "java -XX:TieredStopAtLevel=1 -cp {build}/third-party-langchain4j-0.1.0.jar:{build}/lib/* parley.Driver",
    },
    setup:
      "The driver derives the result of a run from the chat memory and the responses that the library returns. " +
      "Tools are `ToolExecutor` objects that return strings, and the limit is `maxToolCallingRoundTrips`.",
    notes: [
      {
        cases: ["runtime/abort/during-*", "runtime/abort/tool-that-ignores-it"],
        text:
          "A run is aborted by interrupting its thread, which leaves no result of the completed steps.",
      },
      {
        cases: ["runtime/loop/*-call-ids", "runtime/loop/call-ids-of-earlier-answers"],
        text: "Duplicate and empty call ids are passed through unchanged.",
      },
      {
        cases: [
          "runtime/loop/calls-cut-off-*",
          "runtime/loop/text-cut-off-*",
          "runtime/loop/content-filtered",
          "runtime/wire-anthropic/cut-call",
          "runtime/wire-anthropic/no-execution-of-a-cut-call",
        ],
        text:
          "The loop does not read the finish reason: a truncated or filtered response is treated as complete.",
      },
      {
        cases: ["runtime/wire-gemini/one-result-for-each-call"],
        text:
          "Each result of several calls is in a content of its own, although the API demands all results in the content after the calls.",
      },
      {
        cases: ["runtime/wire-openai-chat/no-execution-against-the-schema"],
        text: "The input of a call is not validated against the schema of the tool.",
      },
      {
        cases: ["runtime/loop/calls-run-side-by-side", "runtime/loop/results-in-call-order"],
        text:
          "The calls of a response run sequentially, unless the program calls `executeToolsConcurrently()`.",
      },
      {
        cases: ["runtime/loop/reasoning-is-kept"],
        text: "Message parts cannot carry provider data.",
      },
      {
        cases: ["runtime/model/error-carries-partial-output", "runtime/model/first-call-fails"],
        text: "A model error is thrown unchanged, without the completed steps.",
      },
      {
        cases: ["runtime/model/default-retries"],
        text: "Model calls are not retried unless the model does so.",
      },
      {
        cases: [
          "runtime/loop/final-text-of-a-last-call",
          "runtime/stop/limit-*",
          "runtime/stop/lower-limit-*",
        ],
        text:
          "The limit counts tool round trips: the model is called once more before the run ends with an exception.",
      },
      {
        cases: ["runtime/stop/default-limit", "runtime/stop/default-limit-of-an-agent"],
        text: "The default limit is 100 round trips.",
      },
      {
        cases: ["runtime/stop/bad-limits", "runtime/stop/bad-limits-of-conditions"],
        text: "`maxToolCallingRoundTrips()` accepts 0 and -1.",
      },
      {
        cases: ["runtime/stop/tool-ends-the-run"],
        text: "The driver does not translate a tool's request to end the run.",
      },
      {
        cases: ["runtime/registry/json-schema-keywords", "runtime/tools/input-*"],
        text: "The input of a call is not validated against the schema of its tool.",
      },
      {
        cases: ["runtime/tools/long-error-is-cut"],
        text: "The model receives the complete message of an exception.",
      },
      {
        cases: [
          "runtime/tools/many-tools-are-cut",
          "runtime/tools/unknown-tool",
          "runtime/tools/valid-and-invalid-side-by-side",
        ],
        text:
          "A call to an unknown tool ends the run with an exception, unless the program sets a `hallucinatedToolNameStrategy()`.",
      },
    ],
  },
];
