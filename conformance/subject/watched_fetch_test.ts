import { assertEquals } from "@std/assert";

const PROGRAM = new URL("../testdata/abort_after_collection.ts", import.meta.url).pathname;

Deno.test("watchedFetch() ends an aborted stream, also after a garbage collection", async () => {
  const { stdout } = await new Deno.Command("deno", {
    args: ["run", "-A", "--no-check", "--v8-flags=--expose-gc", PROGRAM],
  }).output();
  assertEquals(new TextDecoder().decode(stdout).trim(), "aborted");
});
