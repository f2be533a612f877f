import { assertEquals, assertStringIncludes } from "@std/assert";

async function run(...args: string[]): Promise<string> {
  const program = new URL("main.ts", import.meta.url).pathname;
  const { stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-prompt", program, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assertEquals(decoder.decode(stderr), "");
  return decoder.decode(stdout);
}

Deno.test("the team writes, checks and publishes after an approval, without permissions", async () => {
  const out = await run("--approve");
  assertStringIncludes(out, "writer > checker: calls words_to_avoid");
  assertStringIncludes(out, "publisher: ended with approval_pending");
  assertStringIncludes(out, "Published as number 1");
  assertEquals(
    out.split("writer: calls check").length,
    2,
    "the steps of the writer are not repeated",
  );
});

Deno.test("the team publishes nothing after a denial", async () => {
  assertStringIncludes(await run("--deny"), "On the site: []");
});
