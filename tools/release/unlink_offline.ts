/**
 * Takes the stand-ins of tools/offline/ out of this clone, so that the same names resolve to the real packages on JSR.
 * It changes deno.json and deno.lock and is meant for a clone that is thrown away afterwards, such as CI's.
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
