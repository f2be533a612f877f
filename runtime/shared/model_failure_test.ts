import { assertEquals } from "@std/assert";
import { AgentError } from "./error.ts";
import { isRetryable, retryDelayOf, statusOf } from "./model_failure.ts";

Deno.test("isRetryable() accepts both property names and only the value true", () => {
  assertEquals([{ retryable: true }, { isRetryable: true }].map(isRetryable), [true, true]);
  assertEquals([{ retryable: "yes" }, new Error("x"), null, "x"].map(isRetryable), [
    false,
    false,
    false,
    false,
  ]);
});

Deno.test("retryDelayOf() reads non-negative numbers from errors of every kind", () => {
  const rows: readonly (readonly [error: unknown, delayMs: number | undefined])[] = [
    [AgentError.modelError("busy", { retryAfterMs: 5 }), 5],
    [Object.assign(new Error("busy"), { retryAfterMs: 0.5 }), 0.5],
    [{ retryAfterMs: 0 }, 0],
    [{ retryAfterMs: -1 }, undefined],
    [AgentError.modelError("busy", { retryAfterMs: NaN }), undefined],
    [{ retryAfterMs: "5" }, undefined],
    [AgentError.modelError("busy"), undefined],
    [new Error("5"), undefined],
    [undefined, undefined],
    [5, undefined],
  ];
  for (const [error, delayMs] of rows) assertEquals(retryDelayOf(error), delayMs);
});

Deno.test("statusOf() reads the HTTP status from errors of every kind", () => {
  const rows: readonly (readonly [error: unknown, status: number | undefined])[] = [
    [AgentError.modelError("busy", { status: 429 }), 429],
    [AgentError.modelError("busy"), undefined],
    [AgentError.core("busy"), undefined],
    [Object.assign(new Error("busy"), { status: 503 }), 503],
    [Object.assign(new Error("busy"), { statusCode: 402 }), 402],
    [{ status: "failed", statusCode: 500 }, 500],
    [{ status: 0 }, undefined],
    [{ status: 600 }, undefined],
    [{ status: 429.5 }, undefined],
    [{ status: "429" }, undefined],
    [null, undefined],
  ];
  for (const [error, status] of rows) assertEquals(statusOf(error), status);
});
