import { assert, assertEquals } from "@std/assert";

const MISUSED: readonly (readonly string[])[] = [
  ["agent_team/durable.ts"],
  ["agent_team/durable.ts", "runs.db", "site.txt", "--days", "one"],
  ["agent_team/main.ts", "--denny"],
  ["comm_websocket/requester.ts", "ws://127.0.0.1:1"],
  ["durable_run/main.ts", "orders.db", "ship"],
  ["everything_client/main.ts"],
  ["everything_client/main.ts", "--help"],
  ["everything_server/main.ts", "--prt", "8000"],
  ["everything_server/main.ts", "--port", "99999"],
  ["expense_agent/main.ts"],
  ["expense_agent/main.ts", "run.jsonl", "--aprove"],
  ["mcp_client/main.ts"],
  ["mcp_login/main.ts"],
  ["mcp_login/main.ts", "mcp.example.com"],
  ["session/main.ts", "chat.jsonl"],
];

Deno.test("a program with invalid arguments prints its usage and exits with code 2", async () => {
  await Promise.all(MISUSED.map(async ([program = "", ...args]) => {
    const path = new URL(program, import.meta.url).pathname;
    const { code, stdout, stderr } = await new Deno.Command("deno", {
      args: ["run", "--quiet", "--no-prompt", "--allow-env", path, ...args],
      env: { NO_COLOR: "1" },
    }).output();
    const output = new TextDecoder().decode(stderr);
    assert(/^Usage: [^\n]+\n$/.test(output), `${program}: ${output}`);
    assertEquals(code, 2, program);
    assertEquals(stdout.length, 0, program);
  }));
});
