import { assertEquals } from "@std/assert";
import { CONFLICTS } from "./conflicts.ts";
import { MessageChecker } from "./message_checker.ts";
import { MESSAGE_VERSIONS } from "./versions.ts";

Deno.test("the checker follows the decision on each conflict in all its versions", () => {
  const checker = new MessageChecker();
  for (const { example, isAllowed, name, versions: [first, last] } of CONFLICTS) {
    const { message, ...origin } = example;
    for (const version of MESSAGE_VERSIONS) {
      if (version < first || version > last) continue;
      const isValid = checker.findProblems(message, { ...origin, version }).length === 0;
      assertEquals(isValid, isAllowed, `${name} in ${version}`);
    }
  }
});

Deno.test("the names of conflicts are unique, and each has two sources", () => {
  assertEquals(new Set(CONFLICTS.map(({ name }) => name)).size, CONFLICTS.length);
  for (const { looser, name, stricter } of CONFLICTS) {
    assertEquals(looser.source === stricter.source, false, name);
  }
});
