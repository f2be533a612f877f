import process from "node:process";
import { chooseModels } from "./models.ts";
import { createTeam } from "./team.ts";

const task = process.argv.slice(2).join(" ") || "Greet the team";
const team = createTeam(chooseModels(process.env));
try {
  for await (const event of team.stream(task)) {
    const agent = event.path.join(" > ");
    if (event.type === "tool_started") console.log(`${agent} calls ${event.toolCall.toolName}`);
    if (event.type === "run_finished") console.log(`${agent}: ${event.output.finalText}`);
  }
} finally {
  await team.terminate();
}
