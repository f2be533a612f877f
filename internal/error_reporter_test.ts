import { assertEquals, assertThrows } from "@std/assert";
import { stub } from "@std/testing/mock";
import { createErrorReporter } from "./error_reporter.ts";

Deno.test("createErrorReporter() passes errors to onError", () => {
  const received: unknown[] = [];
  const report = createErrorReporter("x", (error) => received.push(error));
  report("first");
  assertEquals(received, ["first"]);
});

Deno.test("createErrorReporter() prints errors if onError is omitted", () => {
  using print = stub(console, "error");
  createErrorReporter("server")("lost");
  assertEquals(print.calls.map(({ args }) => args), [["server: lost"]]);
});

Deno.test("createErrorReporter() prints the error of an onError that throws or rejects", async () => {
  using print = stub(console, "error");
  createErrorReporter("server", () => {
    throw new Error("thrown");
  })("lost");
  createErrorReporter("server", () => Promise.reject(new Error("rejected")))("lost");
  for (let tick = 0; tick < 10; tick++) await undefined;
  const texts = print.calls.map(({ args }) => /Caused by: (.*)/.exec(String(args[0]))?.[1]);
  assertEquals(texts, ["Error: thrown", "Error: rejected"]);
});

Deno.test("createErrorReporter() throws if onError is not a function", () => {
  const onError = JSON.parse('"console.error"');
  assertThrows(
    () => createErrorReporter("server", onError),
    TypeError,
    '"onError" must be a function, got string',
  );
});

Deno.test("createErrorReporter() has at most 100 pending calls to onError, and prints further errors", async () => {
  using printed = stub(console, "error");
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  const report = createErrorReporter("test", async () => {
    calls++;
    await gate.promise;
  });
  for (let n = 0; n < 150; n++) report(new Error("flood"));
  assertEquals([calls, printed.calls.length], [100, 1]);
  gate.resolve();
  for (let turn = 0; turn < 20; turn++) await undefined;
  report(new Error("next"));
  assertEquals(calls, 101);
});
