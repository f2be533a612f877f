import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentError } from "../shared/error.ts";
import type { PartialLoopOutput } from "../shared/output.ts";
import { findTranscriptViolation } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { runToolLoop } from "./loop.ts";

/** Property names that are meaningful to the loop or exist on all objects. */
const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "toJSON",
  "then",
  "type",
  "text",
  "message",
  "content",
  "toolName",
  "toolCallId",
  "input",
  "rawInput",
  "usage",
  "inputTokens",
  "finishReason",
  "providerOptions",
  "retryable",
  "retryAfterMs",
  "decision",
  "reason",
];

function circular(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

/** Malformed values: wrong type, circular, very long, or not serializable. */
const rubbish = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
    fc.constantFrom<unknown>(
      ...[
        "stop",
        "tool-calls",
        "length",
        "error",
        "text",
        "tool-call",
        "file",
        "",
        "x".repeat(5_000),
      ],
      ...[
        NaN,
        -1,
        1e400,
        null,
        undefined,
        Symbol("rubbish"),
        () => {},
        new Error("no"),
        circular(),
      ],
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 5 }),
  ),
})).value;

/** A malformed or valid content part. */
const part = fc.oneof(
  rubbish,
  fc.record({ type: fc.constant("text"), text: rubbish }),
  fc.record({ type: fc.constant("text"), text: fc.string(), providerOptions: rubbish }),
  fc.record(
    {
      type: fc.constant("tool-call"),
      toolName: fc.constantFrom("work", ...NAMES),
      toolCallId: fc.oneof(fc.constantFrom("", "c1", ...NAMES), rubbish),
      input: rubbish,
      rawInput: rubbish,
    },
    { requiredKeys: ["type", "toolName"] },
  ),
);

/** A response with malformed values at any depth. */
const answer = fc.oneof(
  rubbish,
  fc.record(
    {
      message: fc.record({ content: fc.array(part, { maxLength: 4 }), providerOptions: rubbish }),
      finishReason: fc.oneof(fc.constantFrom("stop", "tool-calls"), rubbish),
      usage: fc.oneof(rubbish, fc.record({ inputTokens: rubbish, outputTokens: rubbish })),
      rawFinishReason: rubbish,
      modelId: rubbish,
      responseId: rubbish,
    },
    { requiredKeys: ["message"] },
  ),
);

/** A malformed value that is returned or thrown. */
const said = fc.record({ value: rubbish, isThrown: fc.boolean() });

function say({ value, isThrown }: { readonly value: unknown; readonly isThrown: boolean }): never {
  if (isThrown) throw value;
  // This test requires values that do not match the declared type.
  return value as never;
}

const scenario = fc.record({
  answers: fc.array(answer, { minLength: 1, maxLength: 4 }),
  tool: said,
  approval: fc.option(said, { nil: undefined }),
  repair: fc.option(said, { nil: undefined }),
  estimate: fc.option(said, { nil: undefined }),
  isRecorded: fc.boolean(),
  hasListener: fc.boolean(),
});

function checkOutput(output: PartialLoopOutput | undefined): void {
  assert(output !== undefined, "partialOutput is missing");
  assertEquals(findTranscriptViolation(output.messages), undefined);
  assertEquals(typeof output.finalText, "string");
  for (const count of Object.values(output.totalUsage)) {
    assert(count === true || count >= 0, `invalid count ${count}`);
  }
}

Deno.test("runToolLoop() resolves, or rejects with an AgentError, with a valid transcript for any malformed values", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { answers, tool, approval, repair, estimate, isRecorded, hasListener } = given;
      const registry = new ToolRegistry([{
        name: "work",
        inputSchema: { type: "object" },
        execute: () => say(tool),
      }]);
      let turn = 0;
      try {
        checkOutput(
          await runToolLoop({
            model: {
              modelId: "rubbish",
              generate: () => answers[turn++ % answers.length] as never,
            },
            registry,
            maxIterations: 5,
            modelRetries: 1,
            retryDelayMs: 0,
            toolTimeoutMs: 5,
            modelTimeoutMs: 5,
            ...approval === undefined ? {} : { approvalHandler: () => say(approval) },
            ...repair === undefined ? {} : { repairToolCall: () => say(repair) },
            ...estimate === undefined ? {} : { estimateUsage: () => say(estimate) },
            ...isRecorded ? { runId: "r", stepRunner: recordSteps(new MemoryJournal()) } : {},
            ...hasListener ? { onEvent: () => {} } : {},
          }, "go"),
        );
      } catch (error) {
        assert(AgentError.isAgentError(error), `rejected with ${typeof error}`);
        assert(["model_error", "core"].includes(error.code), error.code);
        checkOutput(error.partialOutput);
      }
    }),
    propertyRuns(300),
  );
});
