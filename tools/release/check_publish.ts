/**
 * Rehearses a release without an account: publishes the members to a JSR registry and to an npm
 * registry on loopback, installs the packages by name, and runs them. Leaves behind no processes,
 * and no files except downloads in the caches of npm and Deno.
 *
 *     deno task check:publish              rehearses both
 *     deno task check:publish npm          rehearses only one: jsr or npm
 *
 * @module
 */

import { readArguments, runTool, step, ToolError } from "../cli.ts";
import { checkPublishJsr } from "./check_publish_jsr.ts";
import { checkPublishNpm } from "./check_publish_npm.ts";

const REGISTRIES: ReadonlyMap<string, () => Promise<void>> = new Map([
  ["jsr", checkPublishJsr],
  ["npm", checkPublishNpm],
]);

async function main(): Promise<number> {
  const { positionals } = readArguments(Deno.args, {});
  const unknown = positionals.find((name) => !REGISTRIES.has(name));
  if (unknown !== undefined) {
    throw new ToolError(
      `Unknown registry "${unknown}"; available registries: ${
        [...REGISTRIES.keys()].join(" and ")
      }`,
    );
  }
  for (const [name, check] of REGISTRIES) {
    if (positionals.length === 0 || positionals.includes(name)) await step(name, check);
  }
  return 0;
}

if (import.meta.main) await runTool("check_publish", main);
