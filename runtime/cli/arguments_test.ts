import { assertEquals, assertMatch } from "@std/assert";
import { readArguments, USAGE } from "./arguments.ts";

const SQLITE = { kind: "sqlite", path: "runs.db" } as const;
const env = { DATABASE_URL: "runs.db" };

Deno.test("readArguments() reads each command of parley-runs with its options", () => {
  const cases: readonly (readonly [string[], unknown])[] = [
    [["list"], { name: "list", filter: {} }],
    [
      ["list", "--status", "waiting", "--agent", "a", "--after", "r1", "--limit", "1000"],
      {
        name: "list",
        filter: { status: "waiting", agent: "a", after: { runId: "r1" }, limit: 1000 },
      },
    ],
    [
      ["list", "--prefix", "order-", "--order", "id", "--after", "order-7,x"],
      { name: "list", filter: { prefix: "order-", order: "id", after: { runId: "order-7,x" } } },
    ],
    [
      ["list", "--order", "updated", "--after", "2030-01-02T03:04:05.678Z,a,b"],
      {
        name: "list",
        filter: {
          order: "updated",
          after: { runId: "a,b", updatedAt: "2030-01-02T03:04:05.678Z" },
        },
      },
    ],
    [["show", "r1"], { name: "show", runId: "r1" }],
    [["follow", "r1"], { name: "follow", runId: "r1" }],
    [["steps", "r1"], { name: "steps", runId: "r1" }],
    [["signals", "r1"], { name: "signals", runId: "r1" }],
    [["cancel", "--", "-r"], { name: "cancel", runId: "-r" }],
    [["signal", "r1", "k", "true"], { name: "signal", runId: "r1", key: "k", value: true }],
    [
      ["signal", "r1", "k", '{"decision":"deny"}'],
      { name: "signal", runId: "r1", key: "k", value: { decision: "deny" } },
    ],
  ];
  for (const [args, command] of cases) {
    const request = { command, database: SQLITE, isJson: false };
    assertEquals(readArguments(args, env), { kind: "request", request } as never, args.join(" "));
  }
});

Deno.test("readArguments() reads the database from --database, or from DATABASE_URL", () => {
  const url = "postgres://user:secret@localhost/app";
  const databaseOf = (args: string[], variables: Record<string, string>) => {
    const result = readArguments([...args, "list", "--json"], variables);
    return result.kind === "request" && result.request.isJson && result.request.database;
  };
  assertEquals(databaseOf([], { DATABASE_URL: url }), { kind: "postgres", url });
  assertEquals(databaseOf(["--database", "C:\\runs.db"], { DATABASE_URL: url }), {
    kind: "sqlite",
    path: "C:\\runs.db",
  });
  assertEquals(databaseOf(["--database", url, "--schema", "s"], {}), {
    kind: "postgres",
    url,
    schema: "s",
  });
});

Deno.test("readArguments() names what is wrong with a command line, and shows no password", () => {
  const cases: readonly (readonly [string[], RegExp])[] = [
    [[], /^No command is specified$/],
    [["start"], /^Unknown command "start"$/],
    [["show"], /expected show ID$/],
    [["show", ""], /expected show ID$/],
    [["show", "a", "b"], /expected show ID$/],
    [["signal", "r1", "k"], /expected signal ID KEY VALUE$/],
    [["signal", "r1", "k", "yes"], /^VALUE must be JSON.*got yes$/],
    [["list", "--color"], /^Invalid arguments: .*--color/],
    [["list", "--limit"], /^Invalid arguments: .*--limit/],
    [["list", "--limit", "0"], /^"--limit" must be an integer from 1 to 1000, got "0"$/],
    [["list", "--limit", "1e3"], /^"--limit" must be/],
    [["list", "--status", "open"], /^"--status" must be one of queued, .*got "open"$/],
    [["list", "--order", "newest"], /^"--order" must be id or updated, got "newest"$/],
    [
      ["list", "--order", "updated", "--after", "r1"],
      /^"--after" must be a time and an id for the order updated, such as 2030.*,order-7, got "r1"$/,
    ],
    [
      ["list", "--order", "updated", "--after", "2030-01-02T03:04:05Z,"],
      /^"--after" must be a time/,
    ],
    [["list", "--order", "updated", "--after", "7,r1"], /^"--after" must be a time/],
    [
      ["list", "--order", "updated", "--after", "2030-13-02T03:04:05Z,r"],
      /^"--after" must be a time/,
    ],
    [["show", "r1", "--prefix", "a"], /^"--prefix" is valid only with the command "list"$/],
    [["show", "r1", "--order", "id"], /^"--order" is valid only with the command "list"$/],
    [["show", "r1", "--agent", "a"], /^"--agent" is valid only with the command "list"$/],
    [["list", "--schema", "s"], /^"--schema" is valid only with a PostgreSQL database$/],
    [["list", "--database", ""], /^No database is specified/],
    [["list", "--database", "mysql://u:secret@h/d"], /got a mysql:\/\/ URL$/],
    [["list", "--database", "postgres://u:secret:@@"], /is not a valid URL$/],
  ];
  for (const [args, reason] of cases) {
    const result = readArguments(args, env);
    const text = result.kind === "invalid" ? result.reason : result.kind;
    assertMatch(text, reason);
    assertEquals(text.includes("secret"), false);
  }
});

Deno.test("readArguments() asks for the help text with help, --help and -h", () => {
  for (const args of [["help"], ["--help"], ["list", "-h"]]) {
    assertEquals(readArguments(args, {}), { kind: "help" });
  }
  assertMatch(USAGE, /signal ID KEY VALUE/);
});
