import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { chooseModels } from "./models.ts";
import { createTeam } from "./team.ts";

test("the checker counts the words before the writer responds", async () => {
  const team = createTeam(chooseModels({}));
  const called: string[] = [];
  try {
    for await (const event of team.stream("Greet the team")) {
      if (event.type !== "tool_finished") continue;
      called.push(`${event.path.join(" > ")}: ${event.toolResult.toolName}`);
    }
  } finally {
    await team.terminate();
  }
  deepStrictEqual(called, ["writer > checker: count_words", "writer: checker"]);
});
