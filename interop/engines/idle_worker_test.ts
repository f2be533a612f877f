import { assertEquals } from "@std/assert";
import { withTempDir } from "../../tools/cli.ts";
import { bundleFor, runtimeOf } from "./chaos/runtimes.ts";

const PROGRAM = new URL("../../runtime/runs/testdata/idle_worker.ts", import.meta.url);

const PURGING = new URL("../../runtime/runs/testdata/purging_process.ts", import.meta.url);

for (const name of ["node", "bun", "deno"] as const) {
  Deno.test(`Events that will be deleted later do not keep a process of ${name} alive`, async () => {
    await withTempDir(async (folder) => {
      const [command, args] = runtimeOf(await bundleFor(name, PURGING, folder));
      for (const engine of ["memory", "sqlite"]) {
        const { code, signal, stderr, stdout } = await new Deno.Command(command, {
          args: [...args, engine],
          env: { NO_COLOR: "1" },
          stdin: "null",
          signal: AbortSignal.timeout(20_000),
        }).output();
        const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        assertEquals([code, signal, out, err], [0, null, "Hello\n", ""], engine);
      }
    });
  });
}

for (const name of ["node", "bun"] as const) {
  Deno.test(`Runs.work() keeps a process of ${name} alive while there is no run to execute`, async () => {
    await withTempDir(async (folder) => {
      const [command, args] = runtimeOf(await bundleFor(name, PROGRAM, folder));
      for (const engine of ["memory", "sqlite"]) {
        const { code, stderr, stdout } = await new Deno.Command(command, {
          args: [...args, engine],
          env: { NO_COLOR: "1" },
          stdin: "null",
        }).output();
        const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        assertEquals([code, out, err], [0, "waiting\nstopped\n", ""], engine);
      }
    });
  });
}
