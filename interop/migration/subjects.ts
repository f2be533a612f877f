/**
 * Checks docs/migration-from-mcp-sdk.md and docs/migration-from-fastmcp.md: the programs with the
 * official SDK run, and the names in the tables exist in the type declarations of the packages.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { run } from "../../tools/cli.ts";
import { ROOT } from "../../tools/members.ts";
import type { Subject } from "../check.ts";
import { declares, readDeclarations } from "./declarations.ts";

const GUIDE = new URL("docs/migration-from-mcp-sdk.md", ROOT);
const FASTMCP_GUIDE = new URL("docs/migration-from-fastmcp.md", ROOT);
const INTEROP = new URL("../", import.meta.url);
const EXPECTED = `1 of 4
2 of 4
3 of 4
4 of 4
[ { type: "text", text: "4 words" } ]
`;

/**
 * Folders with type declarations, for each of the first three columns of the tables in the
 * migration guide.
 */
const COLUMNS: readonly {
  readonly name: string;
  readonly folders: (npm: string) => readonly string[];
}[] = [
  { name: "SDK, version 1", folders: (npm) => [`${npm}/sdk/1.32.2/dist/esm`] },
  {
    name: "SDK, version 2",
    folders: (npm) => [
      `${npm}/client/2.4.0/dist`,
      `${npm}/server/2.4.0/dist`,
      `${npm}/node/2.1.2/dist`,
    ],
  },
  { name: "@parley/mcp", folders: () => [new URL("mcp", ROOT).pathname] },
];

/** Checks for the migration guide. */
export const MIGRATION: readonly Subject[] = [{
  name: "migration from the official SDK",
  run: async (check) => {
    const guide = await Deno.readTextFile(GUIDE);
    for (const program of ["sdk_v1", "sdk_v2"]) {
      await check(`the program ${program}`, async () => {
        const path = new URL(`migration/${program}.ts`, INTEROP);
        assertEquals(
          guide.includes(`\`\`\`ts ignore\n${await Deno.readTextFile(path)}\`\`\``),
          true,
        );
        const args = ["run", "--allow-env", "--no-check", "--quiet", "--frozen"];
        const env = { NO_COLOR: "1" };
        const { stdout } = await run("deno", [...args, path.pathname], { cwd: INTEROP, env });
        assertEquals(stdout, EXPECTED);
      }, 30_000);
    }
    const { stdout } = await run("deno", ["info", "--json"], { cwd: INTEROP });
    const npm = `${JSON.parse(stdout).npmCache}/registry.npmjs.org/@modelcontextprotocol`;
    for (const [column, { name, folders }] of COLUMNS.entries()) {
      await check(`the names of ${name}`, async () => {
        const declarations = await readDeclarations(folders(npm));
        const names = namesIn(guide, column);
        assertEquals([names.filter((each) => !declares(declarations, each)), names.length > 30], [
          [],
          true,
        ]);
      });
    }
  },
}, {
  name: "migration from FastMCP",
  run: async (check) => {
    const guide = await Deno.readTextFile(FASTMCP_GUIDE);
    const { stdout } = await run("deno", ["info", "--json"], { cwd: INTEROP });
    const npm = `${JSON.parse(stdout).npmCache}/registry.npmjs.org`;
    const folders = [`${npm}/fastmcp/4.20.16/dist`, new URL("mcp", ROOT).pathname];
    // The second column contains the names of mcp-use, which the interop tests do not install.
    for (const [column, folder] of [[0, folders[0]], [2, folders[1]]] as const) {
      await check(`the names of column ${column}`, async () => {
        const declarations = await readDeclarations(folder === undefined ? [] : [folder]);
        const names = namesIn(guide, column);
        assertEquals([names.filter((each) => !declares(declarations, each)), names.length > 20], [
          [],
          true,
        ]);
      });
    }
  },
}];

/** Returns the names in one column of all tables. */
function namesIn(guide: string, column: number): readonly string[] {
  const rows = guide.split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((row) => {
    const cell = row.split("|")[column + 1] ?? "";
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  });
}
