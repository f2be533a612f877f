/**
 * Files of the viewer page, whose TypeScript scripts are served without types.
 *
 * @module
 */

import { stripTypeScriptTypes } from "node:module";

/** A file of the viewer page. */
export interface PageFile {
  /** Media type, with the character encoding. */
  readonly type: string;
  readonly text: string;
}

const SCRIPTS = ["viewer", "timeline", "rows", "axis", "log"];

/**
 * Reads the files of the page, keyed by file name. The page also works on a server that has no
 * events.
 */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const read = (name: string) => Deno.readTextFile(new URL(name, import.meta.url));
  const scripts = await Promise.all(SCRIPTS.map(async (name) => {
    const source = stripTypeScriptTypes(await read(`${name}.ts`));
    const text = source.replaceAll(/ from "\.\/(\w+)\.ts";/g, ' from "./$1.js";');
    return [`${name}.js`, { type: "text/javascript; charset=utf-8", text }] as const;
  }));
  return new Map([
    ["viewer.html", { type: "text/html; charset=utf-8", text: await read("viewer.html") }],
    ["viewer.css", { type: "text/css; charset=utf-8", text: await read("viewer.css") }],
    ...scripts,
  ]);
}
