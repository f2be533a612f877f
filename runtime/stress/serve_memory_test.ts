import { assert, assertEquals } from "@std/assert";

Deno.test("an ended run of a served agent takes at most 14 KiB besides its row", async () => {
  const program = new URL("testdata/serve_memory.ts", import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "--v8-flags=--expose-gc", program],
  }).output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
  const { bytesPerRun } = JSON.parse(new TextDecoder().decode(stdout));
  assert(bytesPerRun <= 14 * 1024, `${bytesPerRun} bytes`);
});
