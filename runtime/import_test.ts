import { assertEquals } from "@std/assert";

for (
  const entry of [
    "mod.ts",
    "bridge.ts",
    "context.ts",
    "events.ts",
    "file.ts",
    "journal.ts",
    "models.ts",
    "pgboss.ts",
    "runs.ts",
    "session.ts",
    "sqlite.ts",
    "telemetry.ts",
    "testing.ts",
    "ui/ag_ui.ts",
    "ui/ai_sdk.ts",
  ]
) {
  Deno.test(`importing ${entry} requires no permissions and prints nothing`, async () => {
    const { success, stdout, stderr } = await new Deno.Command("deno", {
      args: ["run", "--no-prompt", "--no-check", "--quiet", new URL(entry, import.meta.url).href],
      env: { NO_COLOR: "1" },
    }).output();
    const decoder = new TextDecoder();
    assertEquals([decoder.decode(stdout), decoder.decode(stderr), success], ["", "", true]);
  });
}
