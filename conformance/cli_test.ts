import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type CommandIo, main } from "./cli.ts";
import manifest from "./deno.json" with { type: "json" };
import { runsProgram } from "./testdata/runs_program.ts";

const HERE = new URL(".", import.meta.url).pathname;
const DRIVER = `deno run ${HERE}testdata/wayward_driver.ts`;

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function cliOn(io: Partial<CommandIo>, args: readonly string[]): Promise<Outcome> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await main(args, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    isTerminal: false,
    colors: false,
    env: {},
    signal: new AbortController().signal,
    ...io,
  });
  return { code, out: out.join(""), err: err.join("") };
}

function cli(...args: readonly string[]): Promise<Outcome> {
  return cliOn({}, args);
}

Deno.test("main() reports usage errors without a stack trace and returns the documented exit code", async () => {
  const mistakes: readonly (readonly [readonly string[], number, string])[] = [
    [["dance"], 2, 'Cannot run "dance": unknown command'],
    [["run", "--colour", "red"], 2, "'--colour'"],
    [["run", "--driver"], 2, "--driver"],
    [["run", "--driver", " "], 2, "the command is empty"],
    [["run", "--driver", "'x"], 2, "unterminated quote"],
    [["run", "--driver", "no-such-program"], 2, "no such program"],
    [["run", "--url", "nowhere"], 2, '--url "nowhere": invalid URL'],
    [["run", "nowhere.json"], 2, 'Cannot read subject "nowhere.json": no such file'],
    [["run", `${HERE}deno.json`], 2, "Cannot read subject"],
    [["run", "a.json", "b.json"], 2, "only one subject file"],
    [["run", "a.json", "--url", "http://x/"], 2, 'Cannot use --url: the subject file "a.json"'],
    [["run", "--only", "@/dev/null"], 4, "the pattern files of --only are empty"],
    [["run", "--cases", "nowhere.json"], 2, 'Cannot read case file "nowhere.json"'],
    [["run", "--cases", `${HERE}README.md`], 2, "invalid JSON"],
    [["run", "--cases", `${HERE}deno.json`], 2, "Cannot read case file"],
    [["run", "--lib", "song"], 2, 'Cannot use --lib "song"'],
    [["run", "--level", "would"], 2, 'Cannot use --level "would"'],
    [["run", "--only", "no/such/**"], 2, 'no id matches "no/such/**"\n'],
    [["run", "--only", "comm/did-key"], 2, 'no id matches "comm/did-key"; use "comm/did-key/**"'],
    [["run", "--only", "comm/*"], 2, 'no id matches "comm/*"; use "comm/**"'],
    [["run", "--skip", "**"], 4, "no case selected"],
    [["run", "--flag", "readonly"], 2, 'no case has the label "readonly"'],
    [
      ["run", "--report", "pdf=x"],
      2,
      "html=FILE, json=FILE, junit=FILE, jsonl=FILE, md=FILE or badge=DIR",
    ],
    [["run", "--report", "jsonl="], 2, 'Cannot use --report "jsonl="'],
    [["run", "--report", "jsonl=/nowhere/at/all"], 2, "no such folder"],
    [["run", "--requirements", "comm-7"], 2, 'Cannot use requirements "comm-7"'],
    [["run", "--bail", "-1"], 2, "'--bail' argument is ambiguous"],
    [["run", "--bail", "1.5"], 2, 'Cannot use --bail "1.5": the value must be a positive integer'],
    [["run", "--seed", "x"], 2, "Cannot use --seed"],
    [["run", "--timeout-factor", "0"], 2, "the value must be a positive number"],
    [["run", "--set", `${HERE}deno.json`], 2, "a JSON array of ids"],
    [["run", "--baseline", "nowhere.json"], 2, 'Cannot read baseline "nowhere.json"'],
    [
      ["run", "--revision", "2025-11-26"],
      2,
      'Cannot use --revision "2025-11-26": the value must be 2024-11-05,',
    ],
    [["doctor", "--revision", "newest"], 2, "2025-11-25 or 2026-07-28"],
    [["list", "comm"], 2, "use --only PATTERN"],
    [["explain"], 2, "exactly one case id or clause id is required"],
    [["explain", "no/such/case"], 2, "unknown case or clause"],
    [["explain", "COMM-NONE-1"], 2, "unknown case or clause; groups of clauses: COMM-"],
    [["explain", "NONE-1"], 2, 'unknown case or clause; use "'],
    [["run", "--report", "junit=/nowhere/at/all.xml"], 2, "no such folder"],
    [["run", "--report", `json=${HERE}`], 2, "is a folder"],
    [["run", "--report", `badge=${HERE}deno.json`], 2, `Cannot write "${HERE}deno.json`],
    [["run", "--cases", HERE], 2, "is a folder"],
    [["init"], 2, "a language is required (supported: go, java, javascript, python, rust)"],
    [["init", "cobol"], 2, "the language must be one of go, java, javascript, python, rust"],
    [["init", "python", "--lib", "song"], 2, 'Cannot use --lib "song"'],
    [["record", "--", "x"], 2, "-o FILE is required"],
    [["record", "-o", "x"], 2, "either a command after -- or --target"],
    [["record", "-o", "/nowhere/at/all", "--", "no-such-program"], 2, "no such folder"],
    [["record", "-o", "x", "--redact", "(", "--", "x"], 2, "invalid regular expression"],
    [["record", "-o", "x", "--", "no-such-program", "--help"], 2, 'Cannot start "no-such-program'],
    [["record", "-o", "x", "--target", "http://127.0.0.1/", "--port", "x"], 2, "Cannot use --port"],
    [["record", "-o", "x", "--target", "http://x/", "--twice"], 2, "--twice with --target"],
    [["record", "-o", "x", "--port", "1", "--", "x"], 2, "Cannot use --port with a command"],
    [["cases", "x"], 2, "Cannot write cases"],
    [
      ["cases", "from", "nowhere", "--area", "mcp/x", "-o", "y"],
      2,
      'Cannot read recording "nowhere"',
    ],
    [["peer"], 2, "--port and --token are required"],
    [["diff", "one.json"], 2, "exactly two files are required"],
    [
      ["diff", "nowhere.json", "nowhere.json"],
      2,
      'Cannot read report "nowhere.json": no such file',
    ],
    [["diff", `${HERE}README.md`, `${HERE}README.md`], 2, "invalid JSON"],
    [["diff", `${HERE}deno.json`, `${HERE}deno.json`], 2, "Cannot read report"],
  ];
  for (const [args, expected, word] of mistakes) {
    const { code, err, out } = await cli(...args);
    assertEquals(code, expected, args.join(" "));
    assertStringIncludes(err, word, args.join(" "));
    assertEquals(out, "");
    assert(err.split("\n").length <= 3 || args[0] === "dance", err);
    const hint = `\nRun "parley-kit ${args[0]} --help" for usage.\n`;
    assert(!err.includes("for usage") || args[0] === "dance" || err.endsWith(hint), err);
    assert(!/\n {4}at /.test(err), err);
  }
});

Deno.test("main() with `diff` returns 1 only if a MUST case is worse", async () => {
  const path = (name: string): string => `${HERE}testdata/reports/${name}.json`;
  const worse = await cli("diff", path("before"), path("worse"));
  assertEquals(worse.code, 1);
  assertStringIncludes(worse.out, "\n  MUST   comm/x/a: pass to fail\n");
  const json = await cli("diff", path("before"), path("worse_should"), "--json");
  const { worse: changes, worseMust } = JSON.parse(json.out);
  assertEquals([json.code, worseMust], [0, 0]);
  assertEquals(changes, [
    { id: "comm/x/should-b", level: "SHOULD", before: "pass", after: "fail" },
  ]);
  assertEquals((await cli("diff", path("worse"), path("before"))).code, 0);
});

Deno.test("main() prints help for every command, and its version", async () => {
  const { code, out } = await cli("help");
  assertEquals(code, 0);
  for (const name of ["run", "list", "explain", "diff", "doctor", "init", "record", "cases"]) {
    assertStringIncludes(out, `  ${name}`);
    const help = await cli(name, "--help");
    assertEquals(help.code, 0);
    assertStringIncludes(help.out, `parley-kit ${name}`);
    assertEquals(help.out.split("\n").filter((line) => line.length > 80), [], name);
  }
  assertEquals((await cli("--version")).out, `${manifest.version}\n`);
});

Deno.test("main() prints the counts as the last line of a run", async () => {
  const only = ["--only", "comm/canonical-json/sample", "--only", "comm/noop/*"];
  const { code, out } = await cli("run", "--driver", `${DRIVER} good`, ...only);
  assertEquals(code, 4);
  assertMatch(
    out,
    /\nMUST 0 passed, 0 failed; SHOULD 0 passed, 0 failed; not run 0; n\/a 0; untestable [1-9]\d*\n$/,
  );
});

Deno.test("main() writes an HTML report and a badge, and creates the folder of the badge", async () => {
  const wrong = `deno run ${HERE}testdata/null_driver.ts null comm.canonicalize`;
  const id = "comm/canonical-json/sample";
  // The tests cannot write files, so a shell starts the kit and prints the files.
  const script = `
    folder=$(mktemp -d)
    deno run -A "${HERE}cli.ts" run --driver "${wrong}" --only ${id} --revision 2026-07-28 \
      --report "html=$folder/r.html" --report "badge=$folder/new/badge" --report "json=$folder/r.json" \
      --report "jsonl=$folder/r.jsonl"
    for name in r.html new/badge/badge.svg new/badge/badge.json r.json r.jsonl; do
      printf "\\036"; cat "$folder/$name"
    done
    rm -r "$folder"`;
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  const [out = "", page = "", svg = "", badgeText = "", reportText = "", lines = ""] =
    new TextDecoder()
      .decode(stdout).split("\u001e");
  assertStringIncludes(out, `✗ ${id}  MUST\n    The canonical form of`);
  const again = `parley-kit run --driver '${wrong}' --revision 2026-07-28 --only`;
  assertStringIncludes(out, `again     ${again} ${id}\n`);
  assertStringIncludes(page, "https://www.rfc-editor.org/rfc/rfc8785#section-3.2.1");
  assertStringIncludes(svg, "0/1 MUST");
  const badge = JSON.parse(badgeText);
  assertEquals([badge.schemaVersion, badge.message, badge.isError], [1, "0/1 MUST", true]);
  const { report, results: [result] } = JSON.parse(reportText);
  assertEquals(report, 2);
  assertStringIncludes(JSON.stringify(result.difference.expected), "literals");
  assertEquals(JSON.parse(lines), result);
});

Deno.test("main() prints the results and the annotations of a run if writing the summary fails", async () => {
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: "/nowhere/at/all" };
  const wrong = `deno run ${HERE}testdata/null_driver.ts null comm.canonicalize`;
  const args = ["run", "--driver", wrong, "--only", "comm/canonical-json/sample"];
  const { code, out, err } = await cliOn({ env }, args);
  assertEquals(code, 2);
  assertMatch(out, /^::error title=comm\/canonical-json\/sample::fail/m);
  assertStringIncludes(
    out,
    "\nMUST 0 passed, 1 failed; SHOULD 0 passed, 0 failed; not run 0; n/a 0; untestable 0\n",
  );
  assertStringIncludes(err, 'Cannot write "/nowhere/at/all": ');
});

Deno.test("main() prints a failure and writes its result line when it occurs", async () => {
  const driver = `deno run ${HERE}testdata/null_driver.ts null comm.canonicalize`;
  const only = ["--only", "comm/canonical-json/s*"];
  // Each event is the stream and the first line of one output.
  const events: (readonly [string, string])[] = [];
  const io = {
    out: (text: string) => events.push(["out", text.split("\n", 1)[0] ?? ""]),
    err: (text: string) => events.push(["err", text.split("\n", 1)[0] ?? ""]),
  };
  const args = ["run", "--driver", driver, ...only];
  await cliOn(io, args);
  const printed = events.splice(0);
  assert(printed.length > 2 && printed.every(([stream]) => stream === "out"));
  assert(printed.slice(0, -1).every(([, line]) => line.startsWith("✗ comm/canonical-json/s")));
  await cliOn(io, [...args, "--report", "jsonl=-"]);
  assertEquals(events.length, 2 * printed.length - 1);
  const lines = events.filter(([stream]) => stream === "out").map(([, line]) => JSON.parse(line));
  const errors = events.filter(([stream]) => stream === "err").map(([, line]) => line);
  assertEquals(errors.slice(0, -1), printed.slice(0, -1).map(([, line]) => line));
  for (const [index, { id, verdict, ms }] of lines.entries()) {
    assertEquals([verdict, typeof ms], ["fail", "number"]);
    assertEquals(events[2 * index], ["err", `✗ ${id}  MUST`]);
  }
});

Deno.test("main() does not update a baseline if cases were not run", async () => {
  const wrong = `deno run ${HERE}testdata/null_driver.ts null comm.canonicalize`;
  // The tests cannot write files, so a shell starts the kit and prints the file.
  const script = `
    file=$(mktemp)
    echo '{"entries":[]}' > "$file"
    deno run -A "${HERE}cli.ts" run --driver "${wrong}" --only "comm/canonical-json/s*" --bail 1 \
      --baseline "$file" --update-baseline 2>&1 >/dev/null | sed "s#$file#FILE#"
    cat "$file"; rm "$file"`;
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
  assertMatch(lines[0] ?? "", /^parley-kit: Cannot update baseline "FILE": \d+ cases? not run$/);
  assertEquals(lines[1], '{"entries":[]}');
});

Deno.test("main() lists cases as text or JSON, and explains a case or clause", async () => {
  const id = "comm/canonical-json/sample";
  const { out } = await cli("list", "--only", id, "--clauses", "--files");
  assertStringIncludes(out, `MUST   ${id}  `);
  assertStringIncludes(out, "[COMM-JCS-1]  cases/comm/canonical_json.json\n1 case\n");
  const json = await cli("list", "--only", id, "--json");
  assertEquals(JSON.parse(json.out).id, id);
  const explained = await cli("explain", id);
  for (
    const word of [
      "file      cases/comm/canonical_json.json",
      "clause    COMM-JCS-1",
      "see       https://",
      "why  ",
      `--only ${id}`,
    ]
  ) assertStringIncludes(explained.out, word);
  const subjects = [
    [id, "--driver CMD"],
    ["mcp/questions/sampling", "--server CMD"],
    ["mcp/http-session/id-characters", "--url URL"],
    ["mcp/client-skills/listed", "--driver CMD"],
  ] as const;
  for (const [each, subject] of subjects) {
    const { out } = await cli("explain", each);
    assertStringIncludes(out, `\nrun       parley-kit run ${subject} --only ${each} --trace\n`);
  }
  const group = await cli("explain", "COMM-JCS");
  const spec = await Deno.readTextFile(new URL("spec/comm.md", import.meta.url));
  const clauses = spec.match(/^### COMM-JCS-\d+$/gm);
  assertEquals(group.out.match(/^clause {4}COMM-JCS-\d+ /gm)?.length, clauses?.length);
  const clause = await cli("explain", "COMM-JCS-1");
  assertStringIncludes(clause.out, "state     tested\n");
  assertStringIncludes(clause.out, `\ntested by ${id}: `);
  const contested = await cli("explain", "runtime/stop/default-limit");
  assert(/\ndiffers {3}\S+ \d[\d.]*\n/.test(contested.out), contested.out);
});

/**
 * For each language, a `sed` program that adds an operation that needs no features to the skeleton.
 */
const SKELETONS = [
  [
    "python",
    "python3",
    `s/^OPS = {}/def lacking(args, call):\\
    raise Unsupported("no numbers")\\
def failing(args, call):\\
    raise LibraryError("deserialization_failed", "no text", {"offset": 0})\\
OPS = {"comm.canonicalize": lacking, "comm.message.decode": failing}/`,
  ],
  [
    "javascript",
    "node",
    `s/^const OPS = {};/const OPS = {\\
  "comm.canonicalize": () => { throw new Unsupported("no numbers"); },\\
  "comm.message.decode": () => {\\
    throw new LibraryError("deserialization_failed", "no text", { offset: 0 });\\
  },\\
};/`,
  ],
  [
    "go",
    "go",
    `s/^var operations = .*/var operations = map[string]operation{\\
	"comm.canonicalize": func(c *call) (any, error) { return nil, \\&unsupported{"no numbers"} },\\
	"comm.message.decode": func(c *call) (any, error) {\\
		return nil, libraryError{"code": "deserialization_failed", "message": "no text", "data": object{"offset": 0}}\\
	},\\
}/`,
  ],
] as const;

for (const [language, program, addOperation] of SKELETONS) {
  const runs = await runsProgram(program);
  const skipped = runs ? "" : ` (skipped: ${program} does not run)`;
  Deno.test({
    name:
      `main() with "init ${language}" writes a driver that runs, and whose operations can report "unsupported" and details of errors${skipped}`,
    ignore: !runs,
    async fn() {
      // The tests cannot write files, so a shell runs the commands that `init` prints.
      const script = `
        folder=$(mktemp -d); cd "$folder"
        parley_kit() { deno run -A "${HERE}cli.ts" "$@"; }
        parley_kit init ${language} --lib comm --lib runtime > printed
        grep '^  ' printed | sed 's/^  parley-kit/parley_kit/' > commands
        . ./commands 2>&1
        printf "\\036"
        file=$(ls parley_driver.*)
        sed '${addOperation}' "$file" > changed && mv changed "$file"
        only="--only comm/canonical-json/sample --only comm/message-json/position-in-an-empty-text"
        echo " $(tail -n 1 commands) $only" > commands
        . ./commands 2>&1
        cd /; rm -r "$folder"`;
      const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
      const [out = "", changed = ""] = new TextDecoder().decode(stdout).split("\u001e");
      assertStringIncludes(changed, "- 1 untestable: no numbers\n");
      assertStringIncludes(changed, "decisions 1 as Parley, 0 different");
      assert(/^my library 0: \d+ cases in/m.test(out), out);
      assertMatch(
        out,
        /\nMUST 0 passed, 0 failed; SHOULD 0 passed, 0 failed; not run 0; n\/a \d+; untestable [1-9]\d{2}\n$/,
      );
    },
  });
}

Deno.test('main() with "init go" writes go.mod unless the driver is part of a Go module', async () => {
  const script = `
    folder=$(mktemp -d); cd "$folder"; mkdir -p "all alone" mine/driver
    echo 'module mine' > mine/go.mod
    deno run -A "${HERE}cli.ts" init go --out "all alone/driver.go" | grep '^  '
    (cd mine/driver && deno run -A "${HERE}cli.ts" init go | grep '^  ')
    cat all*/go.mod; ls mine/driver; cat mine/go.mod
    cd /; rm -r "$folder"`;
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  assertEquals(
    new TextDecoder().decode(stdout),
    `  parley-kit run --driver "go -C 'all alone' run ." --lib comm
  parley-kit run --driver "go run ." --lib comm
module parley_driver

go 1.23
parley_driver.go
module mine
`,
  );
});

Deno.test("main() with `run` names the requirement sets, and uses the protocol version of a set", async () => {
  const driver = ["--driver", `${DRIVER} good`];
  const only = ["--only", "comm/noop/*", "--requirements", "comm-parley"];
  const { out } = await cli("run", ...driver, ...only);
  assert(/ \(comm-parley\.draft, digest [0-9a-f]{8}\)\n$/.test(out), out);
  const modern = await cli("list", "--requirements", "mcp-2026-07-28");
  assertStringIncludes(modern.out, "mcp/stateless/");
  const doctor = await cli("doctor", ...driver, "--requirements", "mcp-2026-07-28");
  assert(!doctor.out.includes("does not apply to protocol version 2025-11-25"), doctor.out);
});

Deno.test("main() with `doctor` reports which cases can be run, and omits transports that no selected case uses", async () => {
  const { code, out } = await cli("doctor", "--driver", `${DRIVER} good`, "--lib", "comm");
  assertEquals(code, 4);
  assertStringIncludes(out, "wayward good 1 (comm), ready in");
  assertMatch(
    out,
    /^ {2}- \d+ untestable: the driver does not implement the operation "…": comm\.[\w.]+ \d+, /m,
  );
  assert(!out.includes("(stdio)") && !out.includes("(http)"), out);
});

Deno.test("main() returns 130 if `run` or `doctor` is interrupted", async () => {
  for (const name of ["run", "doctor"]) {
    const args = [name, "--driver", `${DRIVER} no-hello`, "--lib", "comm"];
    assertEquals((await cliOn({ signal: AbortSignal.abort() }, args)).code, 130);
  }
});

Deno.test("main() prints colors only if they are supported, and progress on a single terminal line", async () => {
  const wrong = `deno run ${HERE}testdata/null_driver.ts null comm.canonicalize`;
  const args = ["run", "--driver", wrong, "--only", "comm/canonical-json/s*"];
  const watched = await cliOn({ isTerminal: true, columns: 30 }, args);
  assertStringIncludes(watched.out, "✗ comm/canonical-json/sample");
  assert(!watched.out.includes("\x1b["), watched.out);
  const lines = watched.err.split("\r\x1b[K");
  assertStringIncludes(watched.err, "1 done, 1 failed  comm/canon…");
  assert(lines.every((line) => line.length < 30), watched.err);
  const colored = await cliOn({ colors: true }, args);
  assertStringIncludes(colored.out, "\x1b[31m✗\x1b[0m comm/canonical-json/sample");
  assertEquals(colored.err, "");
});

Deno.test("main() prints no error if the reader of its output closes the pipe", async () => {
  const command = new Deno.Command("sh", {
    args: ["-c", `deno run -A "${HERE}cli.ts" list | head -n 1`],
    stdout: "piped",
    stderr: "piped",
  });
  const { stdout, stderr } = await command.output();
  assertStringIncludes(new TextDecoder().decode(stdout), "comm/");
  assertEquals(new TextDecoder().decode(stderr), "");
});

Deno.test("main() reports which Deno permission is missing", async () => {
  const { code, stderr } = await new Deno.Command("deno", {
    args: ["run", "--no-prompt", "--allow-read", "--allow-env", `${HERE}cli.ts`, "run"],
    env: { NO_COLOR: "1" },
  }).output();
  const said = new TextDecoder().decode(stderr);
  assert(/^parley-kit: Cannot start process watchdog "sh": .*--allow-run flag\n$/.test(said), said);
  assertEquals(code, 2);
});

Deno.test("main() reports which port is already in use", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const target = ["--target", "http://127.0.0.1/", "--port", `${port}`];
  const { code, err } = await cli("record", "-o", "x", ...target);
  assertEquals(
    err,
    `parley-kit: Cannot listen on port ${port}: the port is in use\nRun "parley-kit record --help" for usage.\n`,
  );
  assertEquals(code, 2);
});
