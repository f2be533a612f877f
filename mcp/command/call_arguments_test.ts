import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../shared/json.ts";
import { runCommand, serveWithToken } from "../testdata/command.ts";

const TOKEN = ["--bearer-env", "TOKEN"];

const ARGUMENTS: readonly [title: string, words: readonly string[], text: string][] = [
  ["text", ["text=5", "other=7"], '{"text":"5","other":"7"}'],
  ["the type of the schema", ["text=a=b", "times=3"], '{"text":"a=b","times":3}'],
  ["a type in anyOf", ["text=", "limit=null"], '{"text":"","limit":null}'],
  ["JSON", ["text=x", 'other:={"a":[1]}'], '{"text":"x","other":{"a":[1]}}'],
  ["an object", ['{"text":"x","times":1}', "times=2"], '{"text":"x","times":2}'],
  ["a file", ["@args.json"], '{"text":"from a file"}'],
  ["standard input", ["-"], '{"text":"from stdin"}'],
];

for (const [title, words, text] of ARGUMENTS) {
  Deno.test(`parley-mcp call accepts ${title} as an argument`, async () => {
    await using server = serveWithToken();
    const { code, out, err } = await runCommand(["call", server.url, "echo", ...words, ...TOKEN], {
      files: { "args.json": '\uFEFF{"text":"from a file"}' },
      stdin: '{"text":"from stdin"}',
    });
    assertEquals([code, out, err], [0, `${text}\n`, ""]);
  });
}

const REFERRING: JsonObject = {
  type: "object",
  properties: {
    point: { $ref: "#/$defs/point" },
    corner: { anyOf: [{ $ref: "#/$defs/point" }, { type: "null" }] },
    level: { enum: [1, 2, null] },
    unit: { enum: ["1", "2"] },
    count: { allOf: [{ type: "integer" }], description: "Number" },
    tree: { $ref: "#/$defs/a~1tree" },
    loop: { $ref: "#/$defs/loop" },
  },
  $defs: {
    point: { type: "object" },
    "a/tree": { type: "array", items: { $ref: "#/$defs/a~1tree" } },
    loop: { anyOf: [{ $ref: "#/$defs/loop" }, { type: "string" }] },
  },
};

Deno.test("parley-mcp call reads the types of referenced and combined schemas", async () => {
  await using server = serveWithToken([], (server) => {
    const tool = { name: "draw", inputSchema: REFERRING };
    server.registerTool(tool, (args) => JSON.stringify(args));
  });
  const words = ['point={"x":1}', "corner=null", "level=2", "unit=1", "count=3", "tree=[[],[]]"];
  const call = await runCommand(["call", server.url, "draw", ...words, ...TOKEN]);
  assertEquals([call.code, call.err], [0, ""]);
  assertEquals(JSON.parse(call.out), {
    point: { x: 1 },
    corner: null,
    level: 2,
    unit: "1",
    count: 3,
    tree: [[], []],
  });
  const { out } = await runCommand(["list", server.url, "tools", ...TOKEN]);
  assertStringIncludes(
    out,
    "draw(point?: object, corner?: object|null, level?: number|null, unit?: string, " +
      "count?: integer, tree?: array, loop?: string)\n",
  );
});

const WRONG_ARGUMENTS: readonly [word: string, text: string][] = [
  ["times=x", '"times" must be of type integer, got "x"'],
  ["times:={", '"times" must be of type JSON, got "{"'],
  ["[1]", '"[1]" must be name=text, name:=JSON, {JSON}, @file.json or -'],
  ["{x", "the argument must be a JSON object"],
  ["@none.json", 'Cannot read "none.json": no such file'],
  ["@args.json", '"args.json" must be a JSON object'],
];

for (const [word, text] of WRONG_ARGUMENTS) {
  Deno.test(`parley-mcp call rejects the argument ${word}`, async () => {
    await using server = serveWithToken();
    const files = { "args.json": "[]" };
    const run = await runCommand(["call", server.url, "echo", word, ...TOKEN], { files });
    assertEquals([run.code, run.out], [2, ""]);
    assertStringIncludes(run.err, text);
    assertEquals(run.err.trim().split("\n").length, 1);
  });
}
