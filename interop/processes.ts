/**
 * Lists processes, to detect processes that were not terminated.
 *
 * @module
 */

/** Returns the process identifiers of a process and all its descendants. */
export async function processTree(root: number): Promise<readonly number[]> {
  const rows = await listProcesses();
  const found = new Set([root]);
  let size = 0;
  while (size !== found.size) {
    size = found.size;
    for (const { pid, parent } of rows) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/**
 * Returns the identifiers of the descendants of this process whose command line contains the given
 * text.
 */
export async function findProcesses(text: string): Promise<readonly number[]> {
  const own = await processTree(Deno.pid);
  const rows = await listProcesses();
  return rows.filter(({ pid, args }) => own.includes(pid) && args.includes(text))
    .map(({ pid }) => pid);
}

/**
 * Waits until all processes have exited.
 *
 * @throws {Error} If a process is still running after the timeout.
 */
export async function waitUntilGone(pids: readonly number[], timeoutMs = 5000): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const left = (await listProcesses()).filter(({ pid, state }) =>
      pids.includes(pid) && !state.startsWith("Z")
    );
    if (left.length === 0) return;
    if (performance.now() > end) {
      throw new Error(
        `Processes are still running:  ${left.map(({ pid, args }) => `${pid} ${args}`).join(", ")}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly args: string;
}

async function listProcesses(): Promise<readonly Row[]> {
  const args = ["-A", "-o", "pid=,ppid=,stat=,args="];
  const { stdout } = await new Deno.Command("ps", { args }).output();
  const rows: Row[] = [];
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    const [pid, parent, state, command, ...rest] = line.trim().split(/\s+/);
    if (state === undefined || command === "ps") continue;
    const args = [command, ...rest].join(" ");
    rows.push({ pid: Number(pid), parent: Number(parent), state, args });
  }
  return rows;
}
