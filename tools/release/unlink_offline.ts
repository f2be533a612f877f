/**
 * Removes the packages in tools/offline/ from this clone so that the same names resolve to the
 * packages on JSR. The program changes deno.json and deno.lock, so run it only in a temporary
 * clone, such as in CI.
 *
 *     deno run -A tools/release/unlink_offline.ts
 *
 * @module
 */

import { readFlags, run, runTool } from "../cli.ts";
import { ROOT } from "../members.ts";

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  const file = new URL("deno.json", ROOT);
  const { links: _, ...config } = JSON.parse(await Deno.readTextFile(file));
  await Deno.writeTextFile(file, `${JSON.stringify(config, null, 2)}\n`);
  await Deno.remove(new URL("tools/offline", ROOT), { recursive: true });
  await run("deno", ["install"], { cwd: ROOT });
  return 0;
}

if (import.meta.main) await runTool("unlink_offline", main);
