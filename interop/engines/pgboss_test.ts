import { assert, assertEquals } from "@std/assert";
import { run, withTempDir } from "../../tools/cli.ts";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { bundleFor, runtimeOf } from "./chaos/runtimes.ts";
import { IS_FULL } from "./full_size.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const CHECKS = new URL("checks.ts", import.meta.url);

for (const [version, program] of Object.entries(POSTGRES_RELEASES)) {
  for (const runtime of ["deno", "node"] as const) {
    Deno.test(`pgBossRuns() passes the checks of engines on PostgreSQL ${version} and ${runtime}`, {
      ignore: !HAS_POSTGRES || !IS_FULL && (version !== "18" || runtime !== "node"),
    }, async () => {
      await withTempDir(async (folder) => {
        await using server = await startPostgres({ program, settings: { fsync: "off" } });
        const [command, args] = runtimeOf(await bundleFor(runtime, CHECKS, folder));
        const { stdout } = await run(command, [...args, server.url]);
        const { checks, failed } = JSON.parse(stdout);
        assertEquals(failed, []);
        assert(checks > 30);
      });
    });
  }
}
