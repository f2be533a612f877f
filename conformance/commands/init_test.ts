import { assert, assertEquals } from "@std/assert";
import { TextLineStream } from "@std/streams/text-line-stream";
import { runsProgram } from "../testdata/runs_program.ts";

const CLI = new URL("../cli.ts", import.meta.url).pathname;

/** A language, the program that its drivers need, and a `sed` script that adds two operations. */
interface Skeleton {
  readonly language: string;
  readonly program: string;
  readonly command: string;
  readonly script: string;
}

/** The operation `ask` returns what the function `f` of the host returns, and `fails` fails. */
const SKELETONS: readonly Skeleton[] = [
  {
    language: "javascript",
    program: "node",
    command: "node driver",
    script: `s/^const FEATURES = .*/const FEATURES = ["x.y"];/
s/^const OPS = .*/const OPS = {\\
  ask: async (args, call) => ({ got: await call.host("f", { n: args.n }, call.signal) }),\\
  fails: () => { throw new LibraryError("c", "m\\\\n", { offset: 1 }); },\\
};/`,
  },
  {
    language: "python",
    program: "python3",
    command: "python3 driver",
    script: `s/^FEATURES = .*/FEATURES = ["x.y"]/
s/^OPS = {}/async def ask(args, call):\\
    return {"got": await call.host("f", {"n": args["n"]})}\\
def fails(args, call):\\
    raise LibraryError("c", "m\\\\n", {"offset": 1})\\
OPS = {"ask": ask, "fails": fails}/`,
  },
  {
    language: "go",
    program: "go",
    command: "go run .",
    script: `s/^var features = .*/var features = map[string]bool{"x.y": true}/
s/^var operations = .*/var operations = map[string]operation{\\
	"ask": func(c *call) (any, error) {\\
		return waiting(func(ctx context.Context) (any, error) {\\
			got, err := c.host(ctx, "f", object{"n": c.args["n"]})\\
			return object{"got": got}, err\\
		}), nil\\
	},\\
	"fails": func(c *call) (any, error) {\\
		return nil, libraryError{"code": "c", "message": "m\\\\n", "data": object{"offset": 1}}\\
	},\\
}/`,
  },
  {
    language: "rust",
    program: "cargo",
    command: "cargo run --quiet",
    script: `s/^const FEATURES: .*/const FEATURES: \\&[\\&str] = \\&["x.y"];/
s/^const OPERATIONS: .*/const OPERATIONS: \\&[(\\&str, Operation)] = \\&[("ask", ask), ("fails", fails)];\\
fn ask(call: \\&Call) -> Outcome {\\
    let got = call.host("f", object([("n", call.args.get("n").clone())]))?;\\
    Ok(object([("got", got)]))\\
}\\
fn fails(_: \\&Call) -> Outcome {\\
    let data = Some(object([("offset", Json::Number("1".into()))]));\\
    Err(Failure::Library { code: "c".into(), message: "m\\\\n".into(), data })\\
}/`,
  },
  {
    language: "java",
    program: "java",
    command: "java driver",
    script: `s/FEATURES = Set.of()/FEATURES = Set.of("x.y")/
s/^ *\\/\\/ OPERATIONS.put.*/OPERATIONS.put("fails", call -> {\\
    throw new LibraryError("c", "m\\\\n", Map.of("offset", 1));\\
});\\
OPERATIONS.put("ask", call -> Map.of("got", call.host("f", Map.of("n", call.args().get("n")))));/`,
  },
];

/** Writes a driver, adds the operations, and runs the driver. */
function startDriver({ language, command, script }: Skeleton): Deno.ChildProcess {
  const file = { javascript: "driver.mjs", python: "driver.py", java: "Driver.java" }[language] ??
    (language === "go" ? "driver.go" : "driver.rs");
  const commands = `
    folder=$(mktemp -d); cd "$folder"; trap 'cd /; rm -r "$folder"' EXIT
    deno run -A "${CLI}" init ${language} --out ${file} >/dev/null || exit 1
    sed '${script}' ${file} > changed && mv changed ${file}
    ${command.replace("driver", file)}`;
  return new Deno.Command("sh", {
    args: ["-c", commands],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

/** The kit's end of the driver protocol. */
class Kit {
  readonly #driver: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: ReadableStreamDefaultReader<string>;

  constructor(driver: Deno.ChildProcess) {
    this.#driver = driver;
    this.#writer = driver.stdin.getWriter();
    this.#lines = driver.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream()).getReader();
  }

  async send(message: object): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }

  async read(): Promise<unknown> {
    const { value } = await this.#lines.read();
    assert(value !== undefined, "the driver has ended");
    return JSON.parse(value);
  }

  async close(): Promise<number> {
    await this.send({ type: "bye" });
    await this.#writer.close();
    await this.#lines.cancel();
    return (await this.#driver.status).code;
  }
}

for (const skeleton of SKELETONS) {
  const { language, program } = skeleton;
  const runs = await runsProgram(program);
  const skipped = runs ? "" : ` (skipped: ${program} does not run)`;
  Deno.test({
    name:
      `the driver that "init ${language}" writes declares features and calls the host${skipped}`,
    ignore: !runs,
    async fn() {
      const kit = new Kit(startDriver(skeleton));
      await kit.send({ type: "hello", protocol: 1, kit: "0", seed: 1 });
      const implementation = { name: "my library", version: "0", language };
      assertEquals(await kit.read(), {
        ...{ type: "hello", protocol: 1, implementation, ops: ["ask", "fails"] },
        features: { "x.y": true },
      });
      await kit.send({ type: "case", id: "one" });
      const n = { text: 'é"\\\n\u{1f600}', numbers: [0, -1.5, 1e21], rest: [true, null, {}, []] };
      await kit.send({ type: "op", seq: 1, op: "ask", args: { n } });
      assertEquals(await kit.read(), { type: "call", call: 1, fn: "f", args: { n } });
      await kit.send({ type: "op", seq: 2, op: "fails", args: {} });
      const error = { code: "c", message: "m\n", data: { offset: 1 } };
      assertEquals(await kit.read(), { type: "result", seq: 2, error });
      await kit.send({ type: "return", call: 1, ok: [n] });
      assertEquals(await kit.read(), { type: "result", seq: 1, ok: { got: [n] } });

      await kit.send({ type: "op", seq: 3, op: "ask", args: { n: 1 } });
      assertEquals(await kit.read(), { type: "call", call: 2, fn: "f", args: { n: 1 } });
      await kit.send({ type: "abort", seq: 3 });
      assertEquals(await kit.read(), { type: "cancelled", call: 2 });
      const aborted = { code: "aborted", message: "aborted" };
      assertEquals(await kit.read(), { type: "result", seq: 3, error: aborted });

      await kit.send({ type: "op", seq: 4, op: "ask", args: { n: 1 } });
      assertEquals(await kit.read(), { type: "call", call: 3, fn: "f", args: { n: 1 } });
      await kit.send({ type: "case", id: "two" });
      // The return of an earlier case, and the operation that waited for it, write nothing.
      await kit.send({ type: "return", call: 3, ok: 1 });
      await kit.send({ type: "op", seq: 5, op: "kit.sync", args: {} });
      const unsupported = { reason: "no operation kit.sync" };
      assertEquals(await kit.read(), { type: "result", seq: 5, unsupported });
      assertEquals(await kit.close(), 0);
    },
  });
}
