import { assertEquals } from "@std/assert";
import { findDisallowed, readLicense } from "./licenses.ts";

function check(license: string, use: "published" | "tools", name = "other"): boolean {
  return findDisallowed([{ name, version: "1.0.0", license }], use).length === 0;
}

Deno.test("findDisallowed() accepts permissive licenses in published packages, and more in tools", () => {
  for (const license of ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC"]) {
    assertEquals([check(license, "published"), check(license, "tools")], [true, true]);
  }
  for (const license of ["MPL-2.0", "PostgreSQL", "CC-BY-4.0"]) {
    assertEquals([check(license, "published"), check(license, "tools")], [false, true]);
  }
  for (const license of ["GPL-3.0-only", "BUSL-1.1", "SEE LICENSE IN LICENSE", ""]) {
    assertEquals([check(license, "published"), check(license, "tools")], [false, false]);
  }
});

Deno.test("findDisallowed() requires one allowed choice, and each license of a combination", () => {
  assertEquals(check("(GPL-3.0-only OR MIT)", "published"), true);
  assertEquals(check("MIT AND ISC", "published"), true);
  assertEquals(check("MIT AND GPL-3.0-only", "published"), false);
  assertEquals(check("(AFL-2.1 OR GPL-3.0-only)", "tools"), false);
});

Deno.test("findDisallowed() names the place of a package, its license and its use", () => {
  const each = { name: "a", version: "1.0.0", license: "GPL-3.0-only" };
  const text = 'a@1.0.0: licenses.json does not allow the license "GPL-3.0-only" (tools)';
  assertEquals(findDisallowed([each, { ...each, place: "deno.lock:12" }], "tools"), [
    text,
    `deno.lock:12 ${text}`,
  ]);
});

Deno.test("findDisallowed() applies exceptions to tools only", () => {
  assertEquals(check("", "tools", "mcp-lite"), true);
  assertEquals(check("", "published", "mcp-lite"), false);
});

Deno.test("readLicense() reads the current and the old form of the field", () => {
  assertEquals(readLicense({ license: "MIT" }), "MIT");
  assertEquals(readLicense({ license: { type: "ISC", url: "https://example.com" } }), "ISC");
  assertEquals(readLicense({ licenses: [{ type: "MIT" }, { type: "ISC" }] }), "MIT OR ISC");
  assertEquals(readLicense({}), "");
});
