import { assertEquals } from "@std/assert";

Deno.test("the streaming agent prints tool calls, text and typed results", async () => {
  const { stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-prompt", new URL("main.ts", import.meta.url).pathname],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  assertEquals(new TextDecoder().decode(stdout).trimEnd().split("\n"), [
    'Calls weather with { city: "Oslo" }',
    'Calls weather with { city: "Bergen" }',
    ...["Oslo ", "is ", "colder ", "than ", "Bergen."].map((text) => `Text: ${text}`),
    "[ -3, 7 ]",
  ]);
});
