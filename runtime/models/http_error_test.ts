import { assertEquals, assertStringIncludes } from "@std/assert";
import { bodyFailure, statusFailure } from "./http_error.ts";

const TARGET = { model: "m", host: "127.0.0.1" };

/** A Google API error with the given details. */
function googleError(details: readonly object[], rest: object = {}): Record<string, unknown> {
  return { code: 429, message: "Slow down", status: "RESOURCE_EXHAUSTED", details, ...rest };
}

function retryInfo(retryDelay: unknown): object {
  return { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay };
}

function failed(body: unknown, headers: Record<string, string> = {}): [boolean, unknown, unknown] {
  const response = new Response(null, { status: 429, headers });
  const error = statusFailure(response, JSON.stringify(body), TARGET);
  const { reason } = error.is("model_error") ? error.details : { reason: "" };
  return [error.retryable, error.retryAfterMs, reason];
}

Deno.test("statusFailure() reads the retry delay in the details of a Google API error", () => {
  const delays = [
    ["7s", 7000],
    ["1.5s", 1500],
    ["0.250s", 250],
    ["7.000000001s", 7000.000001],
    ["7 s", undefined],
    ["7m", undefined],
    [{ seconds: 7 }, undefined],
    ["0s", 0],
    ["-1s", undefined],
    [
      "soon",
      undefined,
    ],
    [7, undefined],
    [null, undefined],
  ] as const;
  for (const [delay, expected] of delays) {
    const body = { error: googleError([{ "@type": "other" }, retryInfo(delay)]) };
    assertEquals(failed(body), [true, expected, "HTTP 429: Slow down"], String(delay));
  }
});

Deno.test("statusFailure() prefers the retry-after header to the details", () => {
  const body = { error: googleError([retryInfo("7s")]) };
  assertEquals(failed(body, { "retry-after": "2" })[1], 2000);
});

Deno.test("statusFailure() reads an error in an array", () => {
  const body = [{ error: googleError([retryInfo("7s")]) }];
  assertEquals(failed(body), [true, 7000, "HTTP 429: Slow down"]);
});

Deno.test("statusFailure() ignores details of the wrong type", () => {
  for (const details of [null, "x", [null], [7], [[]], { retryDelay: "7s" }]) {
    const error = { message: "Slow down", details };
    assertEquals(failed({ error }), [true, undefined, "HTTP 429: Slow down"]);
  }
});

Deno.test("statusFailure() does not mark an exhausted quota per day as retryable", () => {
  const quota = (quotaId: string) => ({ violations: [{ quotaId }] });
  const perDay = googleError([quota("RequestsPerDayPerModel"), retryInfo("7s")]);
  const perMinute = googleError([quota("RequestsPerMinutePerModel"), retryInfo("7s")]);
  assertEquals(failed({ error: perDay })[0], false);
  assertEquals(failed({ error: perMinute })[0], true);
  assertEquals(bodyFailure(perDay).retryable, false);
});

Deno.test("bodyFailure() reads the status, the delay and the words of a Google API error", () => {
  const error = bodyFailure(googleError([retryInfo("3s")]));
  assertEquals([error.retryable, error.retryAfterMs], [true, 3000]);
  assertStringIncludes(error.message, "Slow down");
  for (const [status, expected] of [["UNAVAILABLE", true], ["INVALID_ARGUMENT", false]] as const) {
    assertEquals(bodyFailure({ status, message: "No" }).retryable, expected);
  }
});
