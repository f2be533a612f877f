import { assertEquals } from "@std/assert";
import type { startChild } from "../platform/child_process.ts";
import { WindowsControl } from "./group_control.ts";
import { ProcessGroups } from "./process_groups.ts";

/** Records the commands instead of starting them. Every second command cannot be started. */
function recordCommands(commands: string[]): typeof startChild {
  return (command) => {
    commands.push(command.join(" "));
    if (commands.length % 2 === 0) return Promise.reject(new Error("no such program"));
    const exited = Promise.resolve({ code: 128, signal: null });
    return Promise.resolve({ pid: 1, exited, write: () => {}, closeInput: () => {} });
  };
}

Deno.test("WindowsControl kills each process with its descendants, and all registered ones at the end", async () => {
  const commands: string[] = [];
  const groups = new ProcessGroups(new WindowsControl(recordCommands(commands)));
  for (const pid of [11, 12, 13]) groups.add(pid);
  groups.drop(11);
  groups.send(12, "TERM");
  assertEquals(commands, ["taskkill /PID 11 /T /F", "taskkill /PID 12 /T /F"]);
  await groups.close();
  groups.add(14);
  groups.drop(13);
  await groups.close();
  assertEquals(commands.slice(2), [
    "taskkill /PID 12 /T /F",
    "taskkill /PID 13 /T /F",
    "taskkill /PID 14 /T /F",
  ]);
});
