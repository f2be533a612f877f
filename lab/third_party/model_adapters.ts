/**
 * Third-party adapters of model providers.
 *
 * @module
 */

import type { ThirdPartySubject } from "./subject.ts";

/** The adapters, with notes on their failing cases. */
export const MODEL_ADAPTERS: readonly ThirdPartySubject[] = [
  {
    name: "ai-sdk-providers",
    title: "AI SDK, packages for providers",
    package: "@ai-sdk/openai, @ai-sdk/anthropic, @ai-sdk/google",
    version: "4.0.118, 4.0.105, 4.0.121",
    language: "typescript",
    library: "model",
    access: {
      kind: "driver",
      command: "{third_party} lab/drivers/third_party/model_ai_sdk.ts",
    },
    setup: "The driver calls the packages through the SDK's model interface. " +
      "It sends the parts of a response back with their metadata, as the SDK does, and requests that OpenAI stores nothing.",
    notes: [
      {
        cases: ["model/anthropic/unknown-events"],
        text: "An event of an unknown type ends the stream with a validation error.",
      },
      {
        cases: ["model/chat/quota-is-exhausted"],
        text: "Every response with the status 429 is retryable.",
      },
      {
        cases: ["model/chat/reasoning-details-are-sent-back"],
        text: "The package for OpenAI reads only members of OpenAI's own API.",
      },
      {
        cases: ["model/chat/tool-names"],
        text: "The names of tools are sent unchanged.",
      },
      {
        cases: ["model/responses/ids-of-unstored-items"],
        text: "Reasoning is sent back with its id and its encrypted content.",
      },
    ],
  },
  {
    name: "pydantic-ai-models",
    title: "Pydantic AI, models",
    package: "pydantic-ai-slim",
    version: "2.68.0",
    language: "python",
    library: "model",
    build: "python/models",
    access: {
      kind: "driver",
      command: "env PYTHONPATH=lab/drivers/third_party/python {build}/bin/python " +
        "lab/drivers/third_party/python/models/pydantic_ai_models.py",
    },
    setup: "The driver uses `pydantic_ai.direct`, with clients that do not repeat failed calls. " +
      "An incomplete response is one whose `state` is not `complete`. " +
      "The exceptions for connections, rate limits, server errors and unavailable services count as retryable.",
    notes: [
      {
        cases: [
          "model/anthropic/stream-ends-early",
          "model/gemini/stream-ends-early",
          "model/chat/stream-ends-early",
          "model/chat/call-is-cut",
        ],
        text:
          "A stream that ends before its finish reason is a response with the state `complete`.",
      },
      {
        cases: ["model/chat/no-choices"],
        text: "A response without a choice raises an `IndexError`.",
      },
      {
        cases: ["model/chat/schema-unchanged"],
        text: "A reference with a description is rewritten to `anyOf`.",
      },
      {
        cases: ["model/chat/reasoning-details-are-sent-back"],
        text: "The model for OpenAI reads only members of OpenAI's own API.",
      },
      {
        cases: ["model/chat/tool-names"],
        text: "The names of tools are sent unchanged.",
      },
      {
        cases: ["model/responses/ids-of-unstored-items"],
        text: "Reasoning is sent back with its id and its encrypted content.",
      },
    ],
  },
];
