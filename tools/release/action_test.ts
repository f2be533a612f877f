import { assert, assertEquals } from "@std/assert";
import { parseYAML } from "confbox/yaml";
import manifest from "../../conformance/deno.json" with { type: "json" };

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const ACTION = parseYAML<Action>(
  await Deno.readTextFile(new URL("../../action.yml", import.meta.url)),
);
const SCRIPT = ACTION.runs.steps.find(({ run }) => run !== undefined)?.run ?? "";

/**
 * Runs the action's script as GitHub does. An npx stub prints its arguments and exits with `code`.
 */
async function runScript(
  env: Readonly<Record<string, string>>,
  code = 0,
): Promise<{ readonly args: readonly string[]; readonly code: number; readonly outputs: string }> {
  const setUp = `
    folder=$(mktemp -d); cd "$folder"; export RUNNER_TEMP="$folder" GITHUB_OUTPUT="$folder/out"
    printf '#!/bin/sh\\nprintf "%%s\\\\036" "$@"\\nexit ${code}\\n' > npx; chmod +x npx
    PATH="$folder:$PATH" bash --noprofile --norc -eo pipefail -c "$SCRIPT"
    printf '\\035%s\\035' $?; cat out; ls | tr '\\n' ' '; cd /; rm -r "$folder"`;
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", setUp],
    env: { ...env, SCRIPT },
  }).output();
  const [args = "", exit = "", outputs = ""] = new TextDecoder().decode(stdout).split("\u001d");
  return { args: args.split("\u001e").slice(0, -1), code: Number(exit), outputs };
}

Deno.test("action.yml pins other actions, and its default version is the version of the kit", () => {
  assertEquals(ACTION.inputs.version?.default, manifest.version);
  const used = ACTION.runs.steps.flatMap(({ uses }) => uses ?? []);
  assert(used.length > 0 && used.every((each) => /@[0-9a-f]{40}$/.test(each)), used.join(" "));
});

Deno.test("the script in action.yml contains no expression of GitHub Actions", () => {
  assert(SCRIPT.includes("parley-kit run") && !SCRIPT.includes("${{"), SCRIPT);
});

Deno.test("the script in action.yml splits its inputs into words and expands nothing", async () => {
  const { args, code, outputs } = await runScript({
    SUBJECT: `--driver 'python3 "my driver.py"' $(touch injected) ; touch injected; \`id\` *`,
    ARGS: '--lib comm "" > injected',
    VERSION: "1.2.3; touch injected",
  });
  const split = args.indexOf("--report");
  assertEquals(args.slice(0, split), [
    ...["--yes", "--package", "@parley/conformance@1.2.3; touch injected", "parley-kit", "run"],
    ...["--driver", 'python3 "my driver.py"', "$(touch", "injected)", ";", "touch", "injected;"],
    ...["`id`", "*", "--lib", "comm", "", ">", "injected"],
  ]);
  assertEquals(code, 0);
  assert(outputs.includes("passed=true\n") && !/injected/.test(outputs), outputs);
});

Deno.test("the script in action.yml forwards the exit code of the kit", async () => {
  const { code, outputs } = await runScript({ SUBJECT: "x.json", ARGS: "", VERSION: "1" }, 4);
  assertEquals(code, 4);
  assert(outputs.includes("passed=false\n"), outputs);
});

Deno.test("the script in action.yml fails before it starts the kit if a quote is not closed", async () => {
  const { args, code } = await runScript({ SUBJECT: "--driver 'x", ARGS: "", VERSION: "1" });
  assert(code !== 0 && args.length === 0, args.join(" "));
});
