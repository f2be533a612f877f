/**
 * Measures how fast programs that use the npm packages start on Node.js, and compares MCP servers
 * over stdio with the official SDKs and a minimal script.
 *
 *     deno task bench start
 *
 * The packages are installed as a user installs them. Each import and each server runs in several
 * processes, which take turns; the fastest determines the result. Imports are measured by processor
 * time. Servers are measured by elapsed time, because a user waits for the first result.
 *
 * The last line is a JSON object that contains all ratios. Exits with code 1 if a ratio is outside
 * its limit in `PROMISES`.
 *
 * @module
 */

import { withTempDir } from "../../tools/cli.ts";
import { readPackages } from "../../tools/members.ts";
import { install, packAll } from "../../tools/release/npm_packages.ts";
import { findNode, type Import, importCosts } from "../import_cost.ts";
import { ratioOf } from "../measure.ts";
import { publishReport, type Report, type Table } from "../report.ts";
import { coldStarts } from "./cold_start.ts";
import { PROMISES } from "./promises.ts";
import config from "../deno.json" with { type: "json" };

/** The compared packages, with the versions of the other benchmarks. */
const PEERS = [
  config.imports["@modelcontextprotocol/sdk/"],
  config.imports["@modelcontextprotocol/server"],
  config.imports.ai,
  config.imports.zod,
].map((specifier) => specifier.replace(/^npm:\/?/, "").replace(/\/$/, ""));

/** Modules to import, relative to `node_modules`, by their names in the table. */
const IMPORTS = {
  "@parley/comm": "@parley/comm/esm/mod.js",
  "@parley/runtime": "@parley/runtime/esm/mod.js",
  "@parley/mcp": "@parley/mcp/esm/mod.js",
  "@parley/mcp/server": "@parley/mcp/esm/server.js",
  "AI SDK": "ai/dist/index.js",
  "SDK v1, server": "@modelcontextprotocol/sdk/dist/esm/server/mcp.js",
  "SDK v2, server": "@modelcontextprotocol/server/dist/index.mjs",
} as const;

/** Programs of the stdio servers, by their names in the table. */
const SERVERS = {
  "minimal script": "script.mjs",
  "@parley/mcp": "parley.mjs",
  "SDK v1": "sdk_v1.mjs",
  "SDK v2": "sdk_v2.mjs",
} as const;

const MODELS = "@parley/runtime/models, after @parley/runtime";

/** Imports that are compared with each other, by the first words of the title of their table. */
const GROUPS = {
  "library for agents": ["@parley/runtime", "AI SDK"],
  "library for MCP servers": ["@parley/mcp/server", "SDK v1, server", "SDK v2, server"],
  "other imports": ["@parley/comm", "@parley/mcp", MODELS],
} as const;

async function createReport(dir: string): Promise<Report> {
  const project = `${dir}/project`;
  await install(project, [...await packAll(await readPackages(), dir), ...PEERS]);
  const modules = `file://${project}/node_modules`;
  const imports = await importCosts([
    ...Object.entries(IMPORTS).map(([name, path]): Import => ({
      name,
      url: `${modules}/${path}`,
    })),
    {
      name: MODELS,
      url: `${modules}/@parley/runtime/esm/models.js`,
      after: `${modules}/${IMPORTS["@parley/runtime"]}`,
    },
  ]);
  const programs = new Map<string, string>();
  for (const [name, file] of Object.entries(SERVERS)) {
    await Deno.copyFile(new URL(`programs/${file}`, import.meta.url), `${project}/${file}`);
    programs.set(name, `${project}/${file}`);
  }
  const starts = await coldStarts(await findNode(), programs);
  return {
    tables: [
      ...importTables(imports),
      { title: "stdio server on Node.js 22: time to first result", values: starts, unit: "ms" },
    ],
    ratios: {
      import_comm_ms: imports.get("@parley/comm") ?? NaN,
      import_runtime_ms: imports.get("@parley/runtime") ?? NaN,
      import_mcp_ms: imports.get("@parley/mcp") ?? NaN,
      import_models_ms: imports.get(MODELS) ?? NaN,
      ai_import_vs_runtime: ratioOf(imports, "AI SDK", "@parley/runtime"),
      sdk_v1_import_vs_server: ratioOf(imports, "SDK v1, server", "@parley/mcp/server"),
      sdk_v2_import_vs_server: ratioOf(imports, "SDK v2, server", "@parley/mcp/server"),
      cold_start_vs_script: ratioOf(starts, "@parley/mcp", "minimal script"),
      sdk_v1_cold_start_vs_parley: ratioOf(starts, "SDK v1", "@parley/mcp"),
      sdk_v2_cold_start_vs_parley: ratioOf(starts, "SDK v2", "@parley/mcp"),
    },
    promises: PROMISES,
  };
}

/** Returns a table for each group of packages that serve the same purpose. */
function importTables(imports: ReadonlyMap<string, number>): Table[] {
  return Object.entries(GROUPS).map(([title, names]): Table => ({
    title: `${title}: CPU time of an import on Node.js 22`,
    unit: "ms",
    values: new Map(names.map((name) => [name, imports.get(name) ?? NaN])),
  }));
}

Deno.exit(publishReport(await withTempDir(createReport)));
