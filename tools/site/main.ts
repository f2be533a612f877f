/**
 * Builds the documentation site in `docs/.vitepress/dist`, with API pages for every entry point.
 *
 *     deno task site            builds the site
 *     deno task site preview    builds the site and serves it on 127.0.0.1:4173
 *     deno task site dev        serves the site with the API pages of the last build, and reloads changed pages
 *     deno task site check      checks the site of the last build in headless Chromium
 *
 * `SITE_BASE` sets the path of the site on its server, such as `/parley/`. `SITE_REPOSITORY` sets
 * the URL of the repository's main branch, which is the target of links to source files.
 *
 * @module
 */

import { formatMatrixPage } from "../../lab/third_party/matrix_html.ts";
import { readHistories, readResults, toEntries } from "../../lab/third_party/stored_results.ts";
import { readArguments, run, runTool, ToolError } from "../cli.ts";
import { type Member, readPackages, ROOT } from "../members.ts";
import { readPageFiles } from "../viewer/files.ts";

const DOCS = new URL("docs/", ROOT);
const API = new URL("api/", DOCS);
const BUILD_TIMEOUT_MS = 900_000;

/** Runs a program from `docs/node_modules` in `docs/` and shows its output. */
async function runInDocs(program: string, ...args: readonly string[]): Promise<void> {
  const child = new Deno.Command("deno", {
    args: ["run", "--allow-all", "--quiet", program, ...args],
    cwd: DOCS,
    // VitePress sends no data itself; `CI` disables its progress animation.
    env: { CI: "true", NO_COLOR: "1" },
  }).spawn();
  const { success } = await child.status;
  if (!success) throw new ToolError(`Cannot build the site: ${program} failed`);
}

/** Returns the text of an API page with the entry point name instead of the module path. */
export function nameModules(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(/^(# |- \[)([\w\\/]+)(\]\(.*\))?$/gm, (line, start, path, end = "") => {
    const name = names.get(path.replaceAll("\\", ""));
    return name === undefined ? line : `${start}${name}${end}`;
  });
}

/** Returns the names of the entry points, keyed by file path without `.ts`. */
export function nameOfModules(members: readonly Member[]): Map<string, string> {
  return new Map(
    members.flatMap(({ folder, name, exports }) =>
      [...exports].map(([subpath, file]): [string, string] => [
        `${folder}/${file.replace(/\.ts$/, "")}`,
        `${name}${subpath.slice(1)}`,
      ])
    ),
  );
}

async function buildApi(members: readonly Member[]): Promise<void> {
  await Deno.remove(API, { recursive: true }).catch(() => {});
  const entries = members.flatMap(({ folder, exports }) =>
    [...exports.values()].filter((file) => file.endsWith(".ts")).map((file) =>
      `../${folder}/${file}`
    )
  );
  await runInDocs("node_modules/typedoc/bin/typedoc", ...entries);
  const names = nameOfModules(members);
  for (const path of ["index.md", ...[...names.keys()].map((path) => `${path}/index.md`)]) {
    const file = new URL(path, API);
    await Deno.writeTextFile(file, nameModules(await Deno.readTextFile(file), names));
  }
}

/** Writes the page with the results of third-party implementations, which the site links to. */
async function writeImplementations(): Promise<void> {
  const entries = toEntries(await readResults());
  const page = formatMatrixPage(entries, await readHistories(entries));
  await Deno.writeTextFile(new URL("public/implementations.html", DOCS), page);
}

/**
 * Adds the viewer at `/viewer/`. The viewer shows a log or a journal that is dropped on the page.
 */
async function copyViewer(): Promise<void> {
  const folder = new URL(".vitepress/dist/viewer/", DOCS);
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, { text }] of await readPageFiles()) {
    const file = new URL(name === "viewer.html" ? "index.html" : name, folder);
    await Deno.writeTextFile(file, text);
  }
}

/** Runs the program that checks the site in Chromium. Returns the program's exit code. */
async function checkSite(args: readonly string[]): Promise<number> {
  const config = new URL("tools/runtimes/deno.json", ROOT).pathname;
  const program = new URL("tools/runtimes/check_site.ts", ROOT).pathname;
  const child = new Deno.Command("deno", {
    args: ["run", "--allow-all", "--quiet", "--frozen", "--config", config, program, ...args],
  }).spawn();
  return (await child.status).code;
}

async function main(): Promise<number> {
  if (Deno.args[0] === "check") return await checkSite(Deno.args.slice(1));
  const { positionals: [command = "build", ...rest] } = readArguments(Deno.args, {});
  if (!["build", "preview", "dev"].includes(command) || rest.length > 0) {
    throw new ToolError(
      `Unknown command "${[command, ...rest].join(" ")}": use preview, dev or check`,
    );
  }
  await run("deno", ["install", "--quiet", "--frozen"], {
    cwd: DOCS,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  const vitepress = "node_modules/vitepress/bin/vitepress.js";
  if (command !== "dev") {
    await buildApi(await readPackages());
    await writeImplementations();
    await runInDocs(vitepress, "build");
    await copyViewer();
  }
  if (command === "dev") await runInDocs(vitepress, "dev", "--host", "127.0.0.1");
  if (command === "preview") {
    console.log("site: http://127.0.0.1:4173/");
    await runInDocs(vitepress, "preview", "--host", "127.0.0.1");
  }
  return 0;
}

if (import.meta.main) await runTool("site", main);
