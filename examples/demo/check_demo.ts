/**
 * Runs the whole demo, with its file server: `deno task check:demo`.
 *
 * @module
 */

import { runTool, ToolError } from "../../tools/cli.ts";

/** Runs the demo, and presses Ctrl-C after the output contains `interruptAfter`. */
async function check(args: string[], code: number, says: RegExp, interruptAfter?: string) {
  const child = new Deno.Command("deno", {
    args: ["run", "-A", "--quiet", new URL("./main.ts", import.meta.url).pathname, ...args],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const errors = new Response(child.stderr).text();
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    if (interruptAfter && text.includes(interruptAfter)) child.kill("SIGINT");
  }
  const status = await child.status;
  output += await errors;
  const isExpected = status.code === code && says.test(output) && !/\n\s+at /.test(output);
  if (!isExpected) {
    throw new ToolError(`demo ${args.join(" ")} ended with ${status.code}:\n${output}`);
  }
}

await runTool("check:demo", async () => {
  await check([], 0, /\n\n[A-Z][^|]+\. \[comm\/README\.md, "[^"]+"\]\n$/);
  await check(["--json"], 0, /"type":"message".*"verified":true[^]*"type":"run_finished"/);
  await check(["--tamper"], 1, /clerk +refused \(.*signature.*\) the signed response/);
  await check(["--colour"], 2, /--colour/);
  await check(["--folder", "/missing"], 2, /\/missing/);
  await check([], 130, /Interrupted/, "calls search_files");
  return 0;
});
