import { serveAcpStdio } from "@parley/runtime/acp";
import { memoryStorage } from "@parley/runtime/session";
import { createAgent, MODES } from "./agent.ts";
import { chooseModel } from "./model.ts";

await serveAcpStdio({
  name: "coder",
  version: "0.0.0",
  storage: memoryStorage(),
  modes: MODES,
  make: (session) => createAgent(session, chooseModel()),
});
