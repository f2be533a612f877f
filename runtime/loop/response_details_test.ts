import { assertEquals } from "@std/assert";
import { MemoryJournal, recordSteps } from "../journal.ts";
import type { LanguageModel, ModelResponse } from "../shared/model.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { LoopEvent } from "./events.ts";
import { runToolLoop } from "./loop.ts";
import { readModelResponse } from "./response.ts";

const RESPONSE: ModelResponse = {
  message: { role: "assistant", content: [{ type: "text", text: "No" }] },
  finishReason: "content-filter",
  rawFinishReason: "refusal",
  warnings: ["refusal: not this", "unsupported setting, not sent: seed"],
  modelId: "m-2026",
  provider: "acme",
};

const DETAILS = {
  rawFinishReason: "refusal",
  warnings: RESPONSE.warnings,
  modelId: "m-2026",
  provider: "acme",
};

Deno.test("the details of a response are in the event and the iteration, also when replayed", async () => {
  const journal = new MemoryJournal();
  let calls = 0;
  const model: LanguageModel = {
    modelId: "m",
    generate: () => {
      calls++;
      return Promise.resolve(RESPONSE);
    },
  };
  for (const isReplayed of [false, true]) {
    const events: LoopEvent[] = [];
    const { iterations } = await runToolLoop({
      model,
      registry: new ToolRegistry(),
      stepRunner: recordSteps(journal),
      runId: "r",
      onEvent: (event) => events.push(event),
    }, "go");
    const [{ rawFinishReason, warnings, modelId, provider } = {}] = iterations;
    assertEquals<unknown>({ rawFinishReason, warnings, modelId, provider }, DETAILS);
    const finished = events.find((event) => event.type === "model_finished");
    assertEquals(finished?.isReplayed, isReplayed || undefined);
    assertEquals<unknown>({ ...finished, ...DETAILS }, { ...finished });
  }
  assertEquals(calls, 1);
});

Deno.test("readModelResponse() limits the details, and ignores details of another type", () => {
  const long = readModelResponse({
    ...RESPONSE,
    rawFinishReason: "x".repeat(10_000),
    warnings: Array.from({ length: 1_000 }, () => "y".repeat(10_000)),
  });
  assertEquals((long.rawFinishReason?.length ?? 0) <= 200, true);
  assertEquals(long.warnings?.length, 100);
  assertEquals((long.warnings?.[0]?.length ?? 0) <= 1000, true);
  const { message, finishReason } = RESPONSE;
  const other = { message, finishReason, rawFinishReason: 5, warnings: [1, null], provider: {} };
  const read = readModelResponse(other);
  assertEquals([read.rawFinishReason, read.warnings, read.provider], [
    undefined,
    undefined,
    undefined,
  ]);
});
