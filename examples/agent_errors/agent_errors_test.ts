import { assertEquals } from "@std/assert";

Deno.test("the program shows errors of tools, an abort and an error of the model", async () => {
  const { stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-prompt", new URL("main.ts", import.meta.url).pathname],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  assertEquals(new TextDecoder().decode(stdout).trimEnd().split("\n"), [
    'onError: AgentError: Cannot execute tool "read": Disk failure at /a',
    'The model reads: Invalid input for tool "read": /path: Invalid input: expected string, ' +
    "received number. Correct the input and call the tool again.",
    "The model reads: The path must name a file",
    "The model reads: Disk failure at /a",
    'The model reads: Tool "wait" timed out after 50 ms',
    "Stop reason: budget_exceeded",
    "Stop reason: aborted",
    "model_error: Cannot get a response from the model: Invalid API key",
    "Iterations before the failure: 1",
  ]);
});
