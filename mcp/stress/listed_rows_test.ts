import { assert, assertEquals } from "@std/assert";

Deno.test("a list of 100,000 rows of a template takes the memory of one page", async () => {
  const program = new URL("testdata/listed_rows.ts", import.meta.url).pathname;
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--allow-env", "--v8-flags=--expose-gc", program],
  }).output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
  const { growth, ...counts } = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(counts, { pages: 100, rows: 100_000, longest: 1000 });
  // The rows together take more than 10 MB.
  assert(growth < 1_000_000, `${growth} bytes more`);
});
