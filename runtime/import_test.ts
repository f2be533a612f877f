import { assertEquals } from "@std/assert";

for (const entry of ["mod.ts", "journal.ts", "models.ts", "telemetry.ts", "testing.ts"]) {
  Deno.test(`importing ${entry} needs no permission and prints nothing`, async () => {
    const { success, stdout, stderr } = await new Deno.Command("deno", {
      args: ["run", "--no-prompt", "--no-check", "--quiet", new URL(entry, import.meta.url).href],
      env: { NO_COLOR: "1" },
    }).output();
    const decoder = new TextDecoder();
    assertEquals([decoder.decode(stdout), decoder.decode(stderr), success], ["", "", true]);
  });
}

Deno.test("code that cannot be loaded does not hide why a model failed", async () => {
  const runtime = new URL("mod.ts", import.meta.url).href;
  const imports = { [new URL("model_retry.ts", import.meta.url).href]: "file:///nowhere.ts" };
  const child = new Deno.Command("deno", {
    args: [
      "run",
      "--no-prompt",
      "--no-check",
      "--quiet",
      "--no-config",
      `--import-map=data:application/json,${encodeURIComponent(JSON.stringify({ imports }))}`,
      "-",
    ],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const program = `
    import { runToolLoop, ToolRegistry } from ${JSON.stringify(runtime)};
    const offline = Object.assign(new Error("no network"), { retryable: true });
    const model = { modelId: "far", generate: () => Promise.reject(offline) };
    await runToolLoop({ model, registry: new ToolRegistry() }, "go")
      .catch(({ code, retryable, cause }) => console.log(code, retryable, cause === offline));
  `;
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(program));
  await writer.close();
  const { stdout } = await child.output();
  assertEquals(new TextDecoder().decode(stdout), "model_error true true\n");
});
