/** Starts a process, registers it with a watchdog, prints the process id and waits to be killed. */

import { startChild } from "../platform/child_process.ts";
import { watchProcessGroups } from "../subject/process_groups.ts";

const groups = await watchProcessGroups();
const child = await startChild(["sh", "-c", "trap '' TERM; sleep 60 & wait"]);
groups.add(child.pid);
await Deno.stdout.write(new TextEncoder().encode(`${child.pid}\n`));
await child.exited;
