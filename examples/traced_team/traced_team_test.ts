import { assertEquals } from "@std/assert";

Deno.test("the spans of the team are nested like its calls", async () => {
  const { stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-prompt", new URL("main.ts", import.meta.url).pathname],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  const editor = "invoke_agent editor";
  const writer = `${editor} > execute_tool writer > invoke_agent writer`;
  assertEquals(new TextDecoder().decode(stdout).trimEnd().split("\n"), [
    `${editor} > chat scripted`,
    `${writer} > chat scripted`,
    `${writer} > execute_tool look_up > query encyclopedia`,
    `${writer} > execute_tool look_up`,
    `${writer} > chat scripted`,
    writer,
    `${editor} > execute_tool writer`,
    `${editor} > chat scripted`,
    editor,
    "Printed: Tea is a leaf.",
    '[ "editor", "editor/writer" ]',
  ]);
});
