import { assert, assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../cli.ts";
import { type Member, readPackages, ROOT } from "../members.ts";
import { completeManifest, packageFields } from "./manifest.ts";

const REPOSITORY = "https://github.com/example/parley";

const MEMBERS = await readPackages();

/** package.json of a member, with the exports as dnt writes them. */
function manifestOf(member: Member) {
  const { exports = {}, ...fields } = packageFields(member, REPOSITORY);
  const modules = [...member.exports].map(([name, file]) =>
    [name, { import: `./esm/${file.replace(/\.ts$/, ".js")}` }] as const
  );
  return completeManifest({
    ...fields,
    exports: { ...Object.fromEntries(modules), ...Object(exports) },
    _generatedBy: "dnt",
  });
}

for (const member of MEMBERS) {
  Deno.test(`package.json of ${member.name} describes the package, its origin and its support`, () => {
    const manifest = manifestOf(member);
    assertEquals(manifest["name"], member.name);
    assertEquals(manifest["version"], member.version);
    assertEquals(manifest["license"], "MIT");
    assertEquals(manifest["type"], "module");
    assertEquals(manifest["sideEffects"], false);
    assertEquals(manifest["engines"], { node: ">=22.13" });
    assertEquals(manifest["homepage"], `${REPOSITORY}/tree/main/${member.folder}#readme`);
    assertEquals(manifest["bugs"], { url: `${REPOSITORY}/issues` });
    assertEquals(manifest["repository"], {
      type: "git",
      url: `git+${REPOSITORY}.git`,
      directory: member.folder,
    });
    assert(String(manifest["description"]).length > 40, "the description is missing or too short");
    const { keywords, files } = manifest;
    assert(Array.isArray(keywords) && keywords.length >= 5, "package.json has too few keywords");
    assertEquals(keywords, [...new Set(keywords)].toSorted());
    assert(Array.isArray(files) && files[0] === "esm", "package.json does not publish esm/");
    assert(!("_generatedBy" in manifest), "package.json names the build tool");
  });

  Deno.test(`package.json of ${member.name} exports every entry point with its types`, () => {
    const { exports, types } = manifestOf(member);
    assertEquals(types, "./esm/mod.d.ts");
    assertEquals(Object.keys(exports), [...member.exports.keys(), "./package.json"]);
    for (const [name, file] of member.exports) {
      const stem = `./esm/${file.replace(/\.ts$/, "")}`;
      assertEquals(exports[name], { types: `${stem}.d.ts`, default: `${stem}.js` });
      assertEquals(Object.keys(Object(exports[name])), ["types", "default"]);
    }
  });

  Deno.test(`deno.json of ${member.name} names the license and publishes no tests`, async () => {
    const { license, publish } = JSON.parse(
      await Deno.readTextFile(new URL(`${member.folder}/deno.json`, ROOT)),
    );
    assertEquals(license, "MIT");
    assert(publish.exclude.includes("**/*_test.ts"), "the tests are published");
    await Deno.stat(new URL(`${member.folder}/LICENSE`, ROOT));
  });
}

Deno.test("packageFields() names no repository if none is given", () => {
  for (const member of MEMBERS) {
    const fields = packageFields(member, undefined);
    for (const name of ["repository", "homepage", "bugs"]) assert(!(name in fields), name);
  }
});

Deno.test("packageFields() rejects a member without a description", () => {
  const member = { folder: "none", name: "@parley/none", version: "1.0.0", exports: new Map() };
  assertThrows(() => packageFields(member, undefined), ToolError, '"none" is missing from EXTRAS');
});

Deno.test("completeManifest() removes the dependencies whose code the package contains", () => {
  const dependencies = { joined: "^1.0.0", separate: "^2.0.0" };
  const some = completeManifest({ exports: {}, dependencies }, ["joined"]);
  assertEquals(some.dependencies, { separate: "^2.0.0" });
  const none = completeManifest({ exports: {}, dependencies }, ["joined", "separate"]);
  assert(!("dependencies" in none), "package.json has an empty list");
});
