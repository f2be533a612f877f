import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { run, ToolError } from "../cli.ts";
import { findLockedVersion, findPackages, formatNotice } from "./joined_packages.ts";

/**
 * Reads the joined packages of a folder with the given files, in another process, because tests
 * cannot write files. Returns the packages, or the message of the error. Files whose names end with
 * `.gz` are compressed.
 */
async function readJoinedPackages(files: Readonly<Record<string, string>>): Promise<unknown> {
  const { stdout } = await run("deno", [
    "eval",
    `import { gzipSync } from "node:zlib";
import { readJoinedPackages } from ${
      JSON.stringify(new URL("joined_packages.ts", import.meta.url))
    };
const dir = await Deno.makeTempDir();
for (const [path, text] of Object.entries(${JSON.stringify(files)})) {
  await Deno.mkdir(dir + "/" + path.replace(/[^/]+$/, ""), { recursive: true });
  const bytes = path.endsWith(".gz") ? gzipSync(text) : new TextEncoder().encode(text);
  await Deno.writeFile(dir + "/" + path, bytes);
}
const result = await readJoinedPackages(dir).catch(({ message }) => message);
await Deno.remove(dir, { recursive: true });
console.log(JSON.stringify(result));`,
  ]);
  return JSON.parse(stdout);
}

const MAP = JSON.stringify({
  sources: ["../esm/a.js", "../node_modules/beta/b.js", "../node_modules/@c/alpha/src/a.ts"],
});

const ALPHA = '{ "name": "@c/alpha", "version": "1.2.3", "license": "MIT" }';
const BETA = '{ "name": "beta", "version": "4.5.6", "license": "ISC" }';

Deno.test("findPackages() names each package of a source map once", () => {
  const sources = ["../node_modules/beta/b.js", "../esm/a.js", "../node_modules/beta/c.js"];
  assertEquals(findPackages(JSON.stringify({ sources })), ["beta"]);
});

Deno.test("readJoinedPackages() reads versions, licenses and license texts from all source maps", async () => {
  const files = {
    "esm/mod.js.map": MAP,
    "esm/ui/page.js.map": '{ "sources": ["../../node_modules/beta/b.js"] }',
    "node_modules/@c/alpha/package.json": ALPHA,
    "node_modules/@c/alpha/LICENSE.md": "License of alpha\n",
    "node_modules/@c/alpha/dist/THIRD-PARTY-LICENSES.md.gz": "License of its parts\n",
    "node_modules/beta/package.json": BETA,
    "node_modules/beta/licence": "License of beta\n",
    "node_modules/beta/NOTICE": "Notice of beta\n",
    "node_modules/beta/license-check.js": "check();\n",
    "node_modules/other/package.json": '{ "name": "other", "version": "1.0.0" }',
  };
  assertEquals(await readJoinedPackages(files), [
    {
      name: "@c/alpha",
      version: "1.2.3",
      license: "MIT",
      texts: ["License of alpha\n", "License of its parts\n"],
    },
    {
      name: "beta",
      version: "4.5.6",
      license: "ISC",
      texts: ["Notice of beta\n", "License of beta\n"],
    },
  ]);
});

Deno.test("readJoinedPackages() rejects a package without a license file", async () => {
  const files = {
    "esm/mod.js.map": '{ "sources": ["../node_modules/beta/b.js"] }',
    "node_modules/beta/package.json": BETA,
    "node_modules/beta/README.md": "License: ISC\n",
  };
  const message = String(await readJoinedPackages(files));
  assertStringIncludes(message, "Cannot join beta: it has no license file");
});

Deno.test("readJoinedPackages() rejects a license that published packages may not have", async () => {
  const files = {
    "esm/mod.js.map": '{ "sources": ["../node_modules/beta/b.js"] }',
    "node_modules/beta/package.json": BETA.replace("ISC", "MPL-2.0"),
    "node_modules/beta/LICENSE": "License of beta\n",
  };
  const message = String(await readJoinedPackages(files));
  assertStringIncludes(message, "beta@4.5.6: ");
  assertStringIncludes(message, '"MPL-2.0" (published)');
});

Deno.test("formatNotice() contains the name, version, license and texts of each package", () => {
  const line = "-".repeat(80);
  const notice = formatNotice([
    { name: "alpha", version: "1.2.3", license: "MIT", texts: ["License of alpha\n", "Notice\n"] },
    { name: "beta", version: "4.5.6", license: "ISC", texts: ["License of beta"] },
  ]);
  assertEquals(
    notice,
    `This package contains code of the following packages.

${line}

alpha 1.2.3 (MIT)

License of alpha

Notice

${line}

beta 4.5.6 (ISC)

License of beta
`,
  );
});

Deno.test("formatNotice() returns nothing for a package that contains no others", () => {
  assertEquals(formatNotice([]), "");
});

Deno.test("findLockedVersion() returns the only version, also if a lock file names it twice", () => {
  const specifiers = {
    "npm:alpha@*": "1.2.3",
    "npm:alpha@~1.2.3": "1.2.3_beta@4.5.6",
    "npm:alpha-tools@^1.0.0": "1.0.0",
  };
  assertEquals(findLockedVersion(JSON.stringify({ specifiers }), "alpha"), "1.2.3");
});

Deno.test("findLockedVersion() rejects a package with no version or with several versions", () => {
  const lock = JSON.stringify({ specifiers: { "npm:a@1": "1.0.0", "npm:a@2": "2.0.0" } });
  assertThrows(() => findLockedVersion(lock, "a"), ToolError, "Cannot join a: deno.lock must");
  assertThrows(() => findLockedVersion(lock, "b"), ToolError, "Cannot join b: deno.lock must");
});
