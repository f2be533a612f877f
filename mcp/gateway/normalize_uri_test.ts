import { assertEquals } from "@std/assert";
import { normalizeUri, resembles } from "./normalize_uri.ts";

Deno.test("resembles() ignores case and percent-encoding", () => {
  const normalized = normalizeUri("File:///A%2Fb%C3%A9%zz");
  assertEquals(normalized, "file:///a/bé%zz");
  for (const uri of ["file:///a/bé%zz", "FILE:///a%2fB%c3%a9%zz", "file:///%61/bé%zz"]) {
    assertEquals(resembles(uri, normalized), true, uri);
  }
  for (const uri of ["file:///a/bé", "file:///a/b%C3%zz", "file:///c/bé%zz", ""]) {
    assertEquals(resembles(uri, normalized), false, uri);
  }
});
