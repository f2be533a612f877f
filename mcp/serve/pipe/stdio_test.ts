import { assertEquals } from "@std/assert";

Deno.test("serveStdio() redirects the console while serving if redirectConsole is true", async () => {
  const path = new URL("../../testdata/chatty.ts", import.meta.url).pathname;
  const child = new Deno.Command("deno", {
    args: ["run", "-A", "--quiet", path],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  }).spawn();
  const writer = child.stdin.getWriter();
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "talk" } };
  await writer.write(new TextEncoder().encode(`${JSON.stringify(call)}\n`));
  await writer.close();
  const { stdout, stderr } = await child.output();
  const [answer = "", ...rest] = new TextDecoder().decode(stdout).trimEnd().split("\n");
  assertEquals(JSON.parse(answer).result.content, [{ type: "text", text: "said" }]);
  assertEquals(rest, ["goodbye"]);
  assertEquals(new TextDecoder().decode(stderr).split("\n")[0], "talking");
});
