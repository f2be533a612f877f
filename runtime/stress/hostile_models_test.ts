/** Tests for models that try to stop an agent. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentError, type LanguageModel, runToolLoop, ToolRegistry } from "../mod.ts";
import { openAiChat } from "../models.ts";

const registry = new ToolRegistry();

function never<Value>(): Promise<Value> {
  return new Promise(() => {});
}

/** Returns the error and the duration of the run, in milliseconds. */
async function failureOf(
  run: () => Promise<unknown>,
): Promise<{ error: AgentError; tookMs: number }> {
  const startedAt = performance.now();
  const error = await assertRejects(run, AgentError);
  return { error, tookMs: performance.now() - startedAt };
}

const SILENT: LanguageModel = { modelId: "silent", generate: () => never() };

Deno.test("a call to a model whose generate() never settles ends at the timeout", async () => {
  const { error } = await failureOf(() =>
    runToolLoop({ model: SILENT, registry, modelTimeoutMs: 20, modelRetries: 0 }, "go")
  );
  assertEquals([error.code, error.retryable], ["model_error", true]);
  assert(error.message.endsWith("timed out after 20 ms"));
});

Deno.test("a call to a model whose stream never yields ends at the timeout", async () => {
  const model: LanguageModel = {
    ...SILENT,
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never() }) }),
  };
  const { error } = await failureOf(() =>
    runToolLoop({ model, registry, modelTimeoutMs: 20, modelRetries: 0, onEvent: () => {} }, "go")
  );
  assert(error.message.endsWith("timed out after 20 ms"));
});

Deno.test("a model that streams without end and without a pause is stopped at the timeout", async () => {
  const model: LanguageModel = {
    ...SILENT,
    stream: async function* () {
      for (;;) yield { type: "text-delta", delta: "x" } as const;
    },
  };
  const { error } = await failureOf(() =>
    runToolLoop({ model, registry, modelTimeoutMs: 30, modelRetries: 0, onEvent: () => {} }, "go")
  );
  assert(error.message.endsWith("timed out after 30 ms"));
});

Deno.test("a Retry-After header of 23 days fails the call instead of suspending the run", async () => {
  let calls = 0;
  const model = openAiChat({
    baseUrl: "http://127.0.0.1:1/v1",
    model: "m",
    fetch: () => {
      calls++;
      const headers = { "retry-after": "2000000" };
      return Promise.resolve(Response.json({ error: "busy" }, { status: 429, headers }));
    },
  });
  const { error, tookMs } = await failureOf(() => runToolLoop({ model, registry }, "go"));
  assert(tookMs < 2000);
  assertEquals([calls, error.code, error.retryable, error.retryAfterMs], [
    1,
    "model_error",
    true,
    2_000_000_000,
  ]);
  assert(error.message.includes('"maxRetryDelayMs" is 60000'), error.message);
});

Deno.test("maxRetryDelayMs limits the delay that a provider requests", async () => {
  for (const [retryAfterMs, attempts] of [[5, 2], [6, 1], [Infinity, 1]] as const) {
    let calls = 0;
    const model: LanguageModel = {
      modelId: "busy",
      generate: () => {
        calls++;
        return Promise.reject(AgentError.modelError("busy", { retryable: true, retryAfterMs }));
      },
    };
    const config = { model, registry, modelRetries: 1, maxRetryDelayMs: 5 };
    const { error } = await failureOf(() => runToolLoop(config, "go"));
    assertEquals([calls, error.retryAfterMs], [attempts, retryAfterMs]);
  }
});
