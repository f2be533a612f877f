import { assertEquals } from "@std/assert";
import { loadSuite } from "../suite.ts";
import { findSetProblems } from "./check_sets.ts";
import { readSetFiles } from "./set_folder.ts";

Deno.test("no released requirement set differs from its cases: a correction is an erratum or a new case", async () => {
  assertEquals(findSetProblems(await readSetFiles(), loadSuite()), []);
});
