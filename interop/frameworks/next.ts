/**
 * Creates, builds and starts a Next application with the route handler in `programs/next_route.ts`.
 *
 * @module
 */

import { run } from "../../tools/cli.ts";
import { ROOT } from "../../tools/members.ts";

/** Packages of the application, including three packages that Next installs if they are missing. */
const DEPENDENCIES = {
  "@parley/mcp": "file:./parley_mcp",
  "next": "16.4.6",
  "react": "19.2.1",
  "react-dom": "19.2.1",
  "typescript": "^5.9.0",
  "@types/node": "^24.0.0",
  "@types/react": "^19.2.0",
};

const PARLEY = { name: "@parley/mcp", version: "0.1.0", type: "module" };

/**
 * Builds the application in an empty folder.
 *
 * @param dir Folder of the application.
 * @param node Path of Node.js.
 * @returns the Node.js arguments that start the application on the port in the `PORT` variable
 */
export async function buildNextApp(dir: string, node: string): Promise<readonly string[]> {
  await Deno.mkdir(`${dir}/app/mcp`, { recursive: true });
  await Deno.mkdir(`${dir}/parley_mcp`);
  const programs = new URL("programs/", import.meta.url);
  await Deno.copyFile(new URL("next_route.ts", programs), `${dir}/app/mcp/route.ts`);
  await Deno.copyFile(new URL("server.ts", programs), `${dir}/app/mcp/server.ts`);
  await writeJson(`${dir}/package.json`, { private: true, dependencies: DEPENDENCIES });
  await writeJson(`${dir}/parley_mcp/package.json`, {
    ...PARLEY,
    exports: { "./server": "./server.js" },
  });
  const output = `--output=${dir}/parley_mcp/server.js`;
  await run("deno", ["bundle", "--quiet", output, "mcp/server.ts"], { cwd: ROOT });
  // The bundle of `@parley/mcp` has no type declarations.
  const config = "export default { typescript: { ignoreBuildErrors: true } };\n";
  await Deno.writeTextFile(`${dir}/next.config.mjs`, config);
  await run("npm", ["install", "--no-audit", "--no-fund", "--install-links"], { cwd: dir });
  const next = `${dir}/node_modules/next/dist/bin/next`;
  await run(node, [next, "build"], { cwd: dir, env: { NEXT_TELEMETRY_DISABLED: "1" } });
  return [next, "start", "--hostname", "127.0.0.1"];
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(value));
}
