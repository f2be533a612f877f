import { assertEquals } from "@std/assert";
import { checkTitles } from "./commit_titles.ts";

Deno.test("checkTitles() rejects titles of more than 72 characters, but not merges", () => {
  const title = "mcp: ".padEnd(72, "x");
  const log = [`a1 ${title}`, `b2 ${title}y`, `c3 Merge branch ${title}`].join("\n");
  assertEquals(checkTitles(log), [
    `b2 has a title of 73 characters, the maximum is 72; ` +
    `shorten it with git commit --amend or git rebase: ${title}y`,
  ]);
});

Deno.test("checkTitles() accepts an empty log", () => {
  assertEquals(checkTitles(""), []);
});
