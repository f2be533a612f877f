/**
 * An agent over standard streams, which prints to the console. With the argument `stay`, the
 * process is not exited when the input has ended.
 *
 * @module
 */

import { ToolLoopAgent } from "../../agent/agent.ts";
import { memoryStorage } from "../../session/memory_storage.ts";
import { scriptedModel } from "../../testing/scripted_model.ts";
import { serveAcpStdio } from "../serve_acp.ts";

await serveAcpStdio({
  name: "clerk",
  version: "1.0.0",
  storage: memoryStorage(),
  exit: Deno.args[0] !== "stay",
  make: () => {
    console.log("making");
    return new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) });
  },
});
console.log("after");
