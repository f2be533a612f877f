import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { readFlags, run, settleAll, ToolError, tryRun } from "./cli.ts";

Deno.test("readFlags() reads declared flags, and rejects an unknown flag with a one-line message", () => {
  const flags = { out: { type: "string" } } as const;
  assertEquals(readFlags(["--out", "dir"], flags).out, "dir");
  for (const args of [["--bogus"], ["--out"], ["stray"]]) {
    const { message } = assertThrows(() => readFlags(args, flags), ToolError);
    assertEquals(message.includes("\n"), false, message);
  }
});

Deno.test("run() returns a program's output, and throws an error with the last lines if the program fails", async () => {
  const { stdout } = await run("deno", ["eval", "console.log(Deno.cwd())"], { cwd: "tools" });
  assertStringIncludes(stdout, "tools");
  await assertRejects(
    () => run("deno", ["eval", "console.error('no luck'); Deno.exit(3)"]),
    ToolError,
    "no luck",
  );
});

Deno.test("run() stops a program that takes too long", async () => {
  await assertRejects(
    () => run("deno", ["eval", "setInterval(() => {}, 1000)"], { timeoutMs: 100 }),
    ToolError,
    "timed out after 100 ms",
  );
});

Deno.test("tryRun() returns the result of a failed program instead of throwing", async () => {
  const { success, code, stderr } = await tryRun("deno", [
    "eval",
    "console.error('no'); Deno.exit(3)",
  ]);
  assertEquals([success, code, stderr], [false, 3, "no\n"]);
});

Deno.test("settleAll() waits for pending promises before it throws", async () => {
  let finished = false;
  const slow = Promise.resolve().then(() => Promise.resolve()).then(() => finished = true);
  await assertRejects(() => settleAll([Promise.reject(new RangeError("first")), slow]), RangeError);
  assertEquals(finished, true);
});
