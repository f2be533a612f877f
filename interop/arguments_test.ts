import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Command, readCommand, USAGE } from "./arguments.ts";

const MAIN = new URL("main.ts", import.meta.url).pathname;
const CONFIG = new URL("deno.json", import.meta.url).pathname;

const COMMANDS: readonly [args: readonly string[], command: Command][] = [
  [[], { kind: "run", isNightly: false, words: [] }],
  [["node", "client"], { kind: "run", isNightly: false, words: ["node", "client"] }],
  [["--nightly", "hono"], { kind: "run", isNightly: true, words: ["hono"] }],
  [["-h"], { kind: "help" }],
  [["--nightly", "--help"], { kind: "help" }],
  [["--all"], { kind: "invalid", reason: "Unknown option '--all'" }],
  [["--nightly=yes"], {
    kind: "invalid",
    reason: "Option '--nightly' does not take an argument",
  }],
];

for (const [args, command] of COMMANDS) {
  Deno.test(`readCommand() reads the arguments "${args.join(" ")}" of the interop program`, () => {
    assertEquals(readCommand(args), command);
  });
}

const ENDS: readonly [argument: string, code: number, out: string, err: string][] = [
  ["--help", 0, USAGE, ""],
  ["--all", 2, "", `interop: Unknown option '--all'\n${USAGE}`],
  ["no such name", 2, "", 'interop: Cannot select subjects: no name contains "no such name"'],
];

for (const [argument, code, out, err] of ENDS) {
  Deno.test(`the interop program ends with exit code ${code} after the argument "${argument}"`, async () => {
    const args = ["run", "-A", "--no-check", "--quiet", "--frozen", "--config", CONFIG, MAIN];
    const ended = await new Deno.Command("deno", {
      args: [...args, argument],
      stdin: "null",
    }).output();
    const [shown, error] = [ended.stdout, ended.stderr].map((bytes) =>
      new TextDecoder().decode(bytes)
    );
    assertEquals([ended.code, shown], [code, out]);
    // Standard error can also contain a warning from an imported package.
    assertStringIncludes(error ?? "", err);
  });
}
