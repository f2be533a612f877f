import { assert, assertEquals } from "@std/assert";
import { runCommand } from "./build.ts";

const { signal } = new AbortController();

Deno.test("runCommand() returns the output of a command that fails", async () => {
  assertEquals(await runCommand(["sh", "-c", "echo one; exit 0"], { signal }), { kind: "done" });
  assertEquals(await runCommand(["sh", "-c", "echo one; echo two >&2; exit 3"], { signal }), {
    kind: "failed",
    reason: "one\ntwo",
  });
});

Deno.test("runCommand() ends a command that does not end, with its children", async () => {
  // The child keeps standard output open, so the output ends only when the child has ended.
  const command = ["sh", "-c", "sleep 600 & echo $!; wait"];
  const end = await runCommand(command, { signal, limitMs: 300 });
  assert(end.kind === "failed");
  const [reason, pid = ""] = end.reason.split("\n");
  assertEquals(reason, "not finished within 0.3 seconds");
  const script =
    `i=0; while kill -0 ${pid}; do i=$((i+1)); [ $i -gt 100 ] && exit 1; sleep 0.05; done`;
  const { success } = await new Deno.Command("sh", { args: ["-c", script], stderr: "null" })
    .output();
  assert(success, `process ${pid} is alive`);
});

Deno.test("runCommand() ends a command when it is interrupted", async () => {
  const end = await runCommand(["sh", "-c", "sleep 600"], { signal: AbortSignal.timeout(100) });
  assertEquals(end.kind, "failed");
});
