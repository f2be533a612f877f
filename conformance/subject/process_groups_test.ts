import { assert, assertEquals } from "@std/assert";
import { TextLineStream } from "@std/streams/text-line-stream";
import { startChild } from "../platform/child_process.ts";
import { watchProcessGroups } from "./process_groups.ts";

const ORPHANS = new URL("../testdata/orphans.ts", import.meta.url).pathname;

/** Waits up to five seconds until a process has exited. */
async function isGone(pid: number): Promise<boolean> {
  const script =
    `i=0; while kill -0 ${pid} 2>/dev/null; do i=$((i+1)); [ $i -gt 100 ] && exit 1; sleep 0.05; done`;
  const { success } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  return success;
}

Deno.test("drop() kills a process group, and send() sends a signal to a process group", async () => {
  await using groups = await watchProcessGroups();
  const [dropped, kept] = [
    await startChild(["sh", "-c", "sleep 60 & wait"]),
    await startChild(["sh", "-c", "sleep 60 & wait"]),
  ];
  groups.add(dropped.pid);
  groups.add(kept.pid);
  groups.drop(dropped.pid);
  assertEquals(await dropped.exited, { code: null, signal: "SIGKILL" });
  groups.send(kept.pid, "TERM");
  assertEquals(await kept.exited, { code: null, signal: "SIGTERM" });
  await groups.close();
  await groups.close();
});

Deno.test("add() kills a process group that was started before close() and is added after it", async () => {
  const groups = await watchProcessGroups();
  const late = await startChild(["sh", "-c", "sleep 60 & wait"]);
  await groups.close();
  groups.add(late.pid);
  assertEquals(await late.exited, { code: null, signal: "SIGKILL" });
  await groups.close();
});

Deno.test("a watchdog kills the registered processes if the runner is killed with SIGKILL", async () => {
  const runner = new Deno.Command("deno", {
    args: ["run", "--allow-run", "--allow-env", "--allow-read", ORPHANS],
    stdout: "piped",
  }).spawn();
  const lines = runner.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
    .getReader();
  const { value } = await lines.read();
  const pid = Number(value);
  assert(Number.isInteger(pid));
  runner.kill("SIGKILL");
  await runner.status;
  assert(await isGone(pid));
  await lines.cancel();
});
