import { assertEquals } from "@std/assert";
import { withTempDir } from "../../tools/cli.ts";
import { bundleFor, runtimeOf } from "./chaos/runtimes.ts";

const PROGRAM = new URL("../../runtime/runs/testdata/idle_worker.ts", import.meta.url);

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
