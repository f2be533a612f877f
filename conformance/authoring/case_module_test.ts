import { assertStringIncludes } from "@std/assert";
import { formatCaseModule } from "./case_module.ts";

Deno.test("formatCaseModule() imports each file under a name made of its path", () => {
  const text = formatCaseModule(["comm/abort.json", "mcp/server/http_sessions.json"]);
  for (
    const line of [
      'import commAbort from "./cases/comm/abort.json" with { type: "json" };\n',
      'import mcpServerHttpSessions from "./cases/mcp/server/http_sessions.json" with',
      '  ["cases/comm/abort.json", commAbort],\n' +
      '  ["cases/mcp/server/http_sessions.json", mcpServerHttpSessions],\n',
    ]
  ) assertStringIncludes(text, line);
});
