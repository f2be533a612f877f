import { assertEquals } from "@std/assert";

const PROGRAM = new URL("testdata/idle_worker.ts", import.meta.url).pathname;

for (const engine of ["memory", "sqlite"]) {
  Deno.test(`Runs.work() with ${engine}Runs() keeps a process alive while there is no run to execute`, async () => {
    const command = new Deno.Command("deno", {
      args: ["run", "--quiet", "--no-check", "-A", PROGRAM, engine],
      env: { NO_COLOR: "1" },
      stdin: "null",
    });
    const { code, stderr, stdout } = await command.output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertEquals([code, out, err], [0, "waiting\nstopped\n", ""]);
  });
}
