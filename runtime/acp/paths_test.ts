import { assert, assertEquals } from "@std/assert";
import { isAbsolutePath, isWithin, normalizePath } from "./paths.ts";

Deno.test("isAbsolutePath() accepts the absolute paths of POSIX systems and Windows", () => {
  for (const path of ["/", "/w/a", "C:\\w", "c:/w", "\\\\server\\share\\a"]) {
    assert(isAbsolutePath(path), path);
  }
  for (const path of ["", "a", "./a", "../a", "C:a", "\\a", "~/a", "/a\0b", "file:///a"]) {
    assert(!isAbsolutePath(path), path);
  }
});

Deno.test("normalizePath() removes relative segments", () => {
  assertEquals(normalizePath("/w/./a//b/../c/"), "/w/a/c");
  assertEquals(normalizePath("/../../etc"), "/etc");
  assertEquals(normalizePath("C:/w/..\\x/./y"), "C:\\x\\y");
  assertEquals(normalizePath("\\\\server\\share\\..\\..\\a"), "\\\\server\\a");
  // On POSIX systems, a backslash is part of a name.
  assertEquals(normalizePath("/w/..\\..\\etc"), "/w/..\\..\\etc");
  assertEquals(normalizePath("w/a"), undefined);
  // Windows removes spaces and dots at the end of a path.
  for (const path of ["C:\\w\\.. ", "C:\\w\\.. \\a", "C:\\w\\...", "C:\\w\\ .\\a"]) {
    assertEquals(normalizePath(path), undefined);
  }
  assertEquals(normalizePath("C:\\w\\a. b"), "C:\\w\\a. b");
  assertEquals(normalizePath("/w/.../a"), "/w/.../a");
});

Deno.test("isWithin() compares whole segments", () => {
  for (const path of ["/w", "/w/", "/w/a", "/w/a/../b", "/x/y/z"]) {
    assert(isWithin(path, ["/w", "/x/y/"]), path);
  }
  for (const path of ["/", "/wx", "/w/../etc", "/w/a/../../x", "/W/a", "w/a", "/x", "C:\\w\\a"]) {
    assert(!isWithin(path, ["/w", "/x/y/"]), path);
  }
  assert(isWithin("/etc", ["/"]));
  assert(!isWithin("/etc", []));
});

Deno.test("isWithin() ignores case on Windows, and distinguishes drives", () => {
  assert(isWithin("c:\\Work\\A", ["C:\\work"]));
  assert(isWithin("C:/work/a", ["C:\\work"]));
  assert(!isWithin("D:\\work\\a", ["C:\\work"]));
  assert(!isWithin("C:\\work\\..\\x", ["C:\\work"]));
  assert(!isWithin("/work/a", ["C:\\work"]));
});
