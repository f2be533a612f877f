import process from "node:process";
import { createAgent } from "./agent.ts";
import { chooseModel } from "./model.ts";

const question = process.argv.slice(2).join(" ") || "Which day of the week is 2026-07-28?";
const agent = createAgent(chooseModel());
try {
  const { finalText } = await agent.run(question);
  console.log(finalText);
} finally {
  await agent.terminate();
}
