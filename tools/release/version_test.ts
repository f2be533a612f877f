import { assert, assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../cli.ts";
import { ROOT } from "../members.ts";
import { addHeading, listVersionFiles, readNotes, readVersion, replaceVersion } from "./version.ts";

const CHANGELOG = `# Changelog

## Unreleased

### Added

- Something.

## 0.1.0 - 2026-01-02

The first release.
`;

Deno.test("every file that a release changes names the current version", async () => {
  const version = await readVersion();
  for (const path of await listVersionFiles()) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    assert(replaceVersion(text, version, "9.9.9") !== text, `${path} does not name ${version}`);
  }
});

Deno.test("replaceVersion() replaces quoted versions and versions of packages", () => {
  const text =
    `version: "0.1.0", dependency: "10.1.0", "^0.1.0"; @parley/mcp 0.1.0, @parley/internal@0.1.0, 0.1.0`;
  assertEquals(
    replaceVersion(text, "0.1.0", "0.2.0"),
    `version: "0.2.0", dependency: "10.1.0", "^0.1.0"; @parley/mcp 0.2.0, @parley/internal@0.2.0, 0.1.0`,
  );
});

Deno.test("addHeading() moves the unreleased changes below the heading of the version", () => {
  const changed = addHeading(CHANGELOG, "0.2.0", "2026-02-03");
  assertEquals(readNotes(changed, "0.2.0"), "### Added\n\n- Something.");
  assert(changed.includes("## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n### Added\n"), changed);
  assertEquals(readNotes(changed, "0.1.0"), "The first release.");
});

Deno.test("addHeading() rejects a released version and a changelog without changes", () => {
  assertThrows(() => addHeading(CHANGELOG, "0.1.0", "2026-02-03"), ToolError, "already has");
  const changed = addHeading(CHANGELOG, "0.2.0", "2026-02-03");
  assertThrows(() => addHeading(changed, "0.3.0", "2026-02-03"), ToolError, "no unreleased");
  assertThrows(() => addHeading("## Unreleased\n", "0.3.0", "2026-02-03"), ToolError);
  assertThrows(() => addHeading("", "0.3.0", "2026-02-03"), ToolError, "no unreleased");
});

Deno.test("readNotes() returns undefined for a version without a heading", () => {
  assertEquals(readNotes(CHANGELOG, "0.1"), undefined);
  assertEquals(readNotes(CHANGELOG, "1.0.0"), undefined);
});
