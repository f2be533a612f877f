import { assertEquals } from "@std/assert";
import { checkRatcheted, findDeno, readBuiltinModules, readDynamicImports } from "./layers.ts";
import { checkLayers, type LayerRules, type MemberRules, type SourceFile } from "./layer_rules.ts";

const ADVICE = "; move the part that both sides need to a third file";
const NO_DOORS = { doors: {}, platform: {} };

/**
 * Rules for a small member in which `json.ts` is below `message.ts` and `wire.ts`, the folder
 * `models/` has its own list, and `mod.ts` may import everything.
 */
const MEMBER: MemberRules = {
  order: [["json.ts"], ["message.ts", "wire.ts"]],
  uses: { "models/": ["json.ts"], "mod.ts": ["*"] },
  doors: { "@noble/ed25519": "wire.ts" },
  platform: { "wire.ts": ["node:net", "Deno"] },
};

/** Returns the files of a valid member, with the imports in `changes` replaced or added. */
function graph(changes: Readonly<Record<string, readonly string[]>> = {}): SourceFile[] {
  const imports: Readonly<Record<string, readonly string[]>> = {
    "m/json.ts": [],
    "m/message.ts": ["m/json.ts", "m/wire.ts"],
    "m/wire.ts": ["node:net", "npm:@noble/ed25519@^3"],
    "m/mod.ts": ["m/message.ts", "m/models/chat.ts"],
    "m/models/chat.ts": ["m/json.ts"],
    ...changes,
  };
  return Object.entries(imports).map(([path, targets]) => ({
    path,
    dynamicImports: [],
    ...(path === "m/wire.ts" ? { denoLine: 4 } : {}),
    imports: targets.map((target) =>
      target.endsWith(".ts") ? { specifier: `/${target}`, file: target } : { specifier: target }
    ),
  }));
}

Deno.test("checkLayers() accepts imports that follow every rule", () => {
  assertEquals(checkLayers({ m: MEMBER }, graph()), []);
});

Deno.test("checkLayers() accepts imports of a listed package, and reports a list that is not used", () => {
  const rules = { ...MEMBER, packages: ["@x/shared"] };
  const files = graph({ "m/json.ts": ["@x/shared/text"] });
  assertEquals(checkLayers({ m: rules }, files), []);
  assertEquals(checkLayers({ m: rules }, graph()), [
    "tools/gates/layers.json lists the package @x/shared, which m no longer has; remove it",
  ]);
  assertEquals(checkLayers({ m: MEMBER }, files), [
    'm/json.ts imports "@x/shared/text", a dependency that layers.json does not list in "doors"',
  ]);
});

Deno.test("checkLayers() reports each violation with the file, the import and the allowed units", () => {
  const table: readonly [string, Readonly<Record<string, readonly string[]>>, readonly string[]][] =
    [
      ["a unit of a higher rank", { "m/json.ts": ["m/mod.ts"], "m/mod.ts": [] }, [
        "m/json.ts imports m/mod.ts: json.ts may import no other unit",
      ]],
      ["a unit that is not in its list", { "m/models/chat.ts": ["m/message.ts"] }, [
        "m/models/chat.ts imports m/message.ts: models/ may import only json.ts",
      ]],
      ["a dependency of another file", { "m/json.ts": ["@noble/ed25519"] }, [
        'm/json.ts imports "@noble/ed25519": only m/wire.ts may import this dependency',
      ]],
      ["a sub-path of another file's dependency", { "m/json.ts": ["npm:@noble/ed25519@3/utils"] }, [
        'm/json.ts imports "npm:@noble/ed25519@3/utils": only m/wire.ts may import this dependency',
      ]],
      ["no door", { "m/json.ts": ["zod"] }, [
        'm/json.ts imports "zod", a dependency that layers.json does not list in "doors"',
      ]],
      ["a platform API", { "m/json.ts": ["node:fs"] }, [
        "m/json.ts uses node:fs, which layers.json does not list for it",
      ]],
      ["a test file", { "m/json.ts": ["m/json_test.ts"] }, [
        "m/json.ts imports m/json_test.ts: a shipped file must not import a test file",
      ]],
      ["test data", { "m/json.ts": ["m/testdata/peer.ts"] }, [
        "m/json.ts imports m/testdata/peer.ts: a shipped file must not import a test file",
      ]],
      ["another folder of the repository", { "m/json.ts": ["tools/cli.ts"] }, [
        "m/json.ts imports tools/cli.ts: a file outside m/ would not be published",
      ]],
      ["an unknown file", { "m/extra.ts": [] }, [
        "m/extra.ts:1 belongs to no unit in layers.json; add its folder",
      ]],
      ["an unknown folder", { "m/new/a.ts": [] }, [
        "m/new/a.ts:1 belongs to no unit in layers.json; add its folder",
      ]],
      ["an unknown member", { "n/a.ts": [] }, [
        "n/a.ts:1 belongs to no member in layers.json; add the member",
      ]],
    ];
  for (const [name, changes, expected] of table) {
    assertEquals(checkLayers({ m: MEMBER }, graph(changes)), [...expected], name);
  }
});

Deno.test("checkLayers() names the line of an import, of a use and of a rule that is no longer needed", () => {
  const rules: LayerRules = { m: { ...NO_DOORS, order: [["a/"], ["b/"], ["c/"]] } };
  const files: SourceFile[] = [
    {
      path: "m/a/one.ts",
      imports: [{ ...to("m/b/two.ts"), line: 3 }, { specifier: "zod", line: 4 }],
      dynamicImports: [],
      denoLine: 9,
    },
    {
      path: "m/b/two.ts",
      imports: [{ ...to("m/a/one.ts"), line: 1 }, { specifier: "node:fs", line: 2 }],
      dynamicImports: [],
    },
  ];
  assertEquals(
    checkLayers(rules, files, '{\n  "m": {\n    "order": [\n      ["a/"],\n      ["c/"]\n'),
    [
      "m/a/one.ts:3 imports m/b/two.ts: a/ may import no other unit",
      'm/a/one.ts:4 imports "zod", a dependency that layers.json does not list in "doors"',
      "m/a/one.ts:9 uses Deno, which layers.json does not list for it",
      "m/b/two.ts:2 uses node:fs, which layers.json does not list for it",
      "tools/gates/layers.json:5 lists the unit c/, which m no longer has; remove it",
      `cycle: m/a/one.ts:3 -> m/b/two.ts:1 -> m/a/one.ts${ADVICE}`,
    ],
  );
});

Deno.test("checkLayers() ignores test files", () => {
  const files = graph({ "m/json_test.ts": ["zod", "node:fs", "m/mod.ts", "tools/cli.ts"] });
  assertEquals(checkLayers({ m: MEMBER }, files), []);
});

Deno.test("checkLayers() reports each cycle once, even within a rank", () => {
  const files = graph({ "m/wire.ts": ["node:net", "@noble/ed25519", "m/message.ts"] });
  assertEquals(checkLayers({ m: MEMBER }, files), [
    `cycle: m/message.ts -> m/wire.ts -> m/message.ts${ADVICE}`,
  ]);
  const self = graph({ "m/models/chat.ts": ["m/models/chat.ts"] });
  assertEquals(checkLayers({ m: MEMBER }, self), [
    `cycle: m/models/chat.ts -> m/models/chat.ts${ADVICE}`,
  ]);
});

Deno.test("checkLayers() reports every rule that is no longer needed", () => {
  const files = graph({ "m/wire.ts": ["node:net"] }).filter(({ path }) =>
    path !== "m/models/chat.ts"
  ).map(({ path, imports }) => ({ path, imports, dynamicImports: [] }));
  assertEquals(checkLayers({ m: MEMBER }, files), [
    "tools/gates/layers.json lists the unit models/, which m no longer has; remove it",
    'tools/gates/layers.json lists the import of "@noble/ed25519" in wire.ts, which m no longer has; remove it',
    "tools/gates/layers.json lists the use of Deno in wire.ts, which m no longer has; remove it",
  ]);
});

Deno.test("checkLayers() accepts platform APIs in a folder that lists them", () => {
  const rules: LayerRules = {
    m: { order: [["platform/"]], doors: {}, platform: { "platform/": ["node:fs", "Deno"] } },
  };
  const files = [
    {
      path: "m/platform/a.ts",
      imports: [{ specifier: "node:fs" }],
      dynamicImports: [],
    },
    {
      path: "m/platform/b.ts",
      imports: [{ specifier: "node:os" }],
      dynamicImports: [],
      denoLine: 1,
    },
  ];
  assertEquals(checkLayers(rules, files), [
    "m/platform/b.ts uses node:os, which layers.json does not list for it",
  ]);
});

Deno.test("checkLayers() allows a common unit to import only the common units listed before it", () => {
  const rules: LayerRules = {
    m: { ...NO_DOORS, common: ["json.ts", "error.ts"], uses: { "rpc/": [], "*.ts": ["*"] } },
  };
  const files = (json: string) =>
    graph().slice(0, 0).concat([
      {
        path: "m/json.ts",
        imports: json === "" ? [] : [to(json)],
        dynamicImports: [],
      },
      { path: "m/error.ts", imports: [to("m/json.ts")], dynamicImports: [] },
      {
        path: "m/rpc/a.ts",
        imports: [to("m/error.ts"), to("m/rpc/b.ts")],
        dynamicImports: [],
      },
      { path: "m/rpc/b.ts", imports: [to("m/json.ts")], dynamicImports: [] },
      {
        path: "m/mod.ts",
        imports: [to("m/rpc/a.ts"), to("m/error.ts")],
        dynamicImports: [],
      },
    ]);
  assertEquals(checkLayers(rules, files("")), []);
  assertEquals(checkLayers(rules, files("m/rpc/b.ts")), [
    "m/json.ts imports m/rpc/b.ts: json.ts may import no other unit",
    `cycle: m/json.ts -> m/rpc/b.ts -> m/json.ts${ADVICE}`,
  ]);
});

Deno.test("checkLayers() rejects imports between members, except for listed units", () => {
  const rules: LayerRules = {
    kit: {
      ...NO_DOORS,
      order: [["run/", "drivers/", "drivers/own/"]],
      outside: { "drivers/own/": ["lib/"] },
    },
    lib: { ...NO_DOORS, order: [["mod.ts"]] },
  };
  const files = [
    { path: "kit/run/a.ts", imports: [to("lib/mod.ts")], dynamicImports: [] },
    { path: "kit/drivers/b.ts", imports: [to("lib/mod.ts")], dynamicImports: [] },
    {
      path: "kit/drivers/own/c.ts",
      imports: [to("lib/mod.ts")],
      dynamicImports: [],
    },
    {
      path: "lib/mod.ts",
      imports: [{ specifier: "./d.json", file: "lib/d.json" }],
      dynamicImports: [],
    },
  ];
  assertEquals(checkLayers(rules, files), [
    "kit/run/a.ts imports lib/mod.ts: a file outside kit/ would not be published",
    "kit/drivers/b.ts imports lib/mod.ts: a file outside kit/ would not be published",
  ]);
});

Deno.test("findDeno() finds the global Deno in code, but not in a comment, a string or a longer name", () => {
  const table: readonly [string, number | undefined][] = [
    ["await Deno.readFile(path)", 1],
    ["const { serve } = Deno;", 1],
    ["const text = `${Deno.pid}`;", 1],
    ["globalThis.Deno?.env", 1],
    ["/**\n * Deno.\n */\nconst a = `\n`;\nDeno.exit();\nDeno.exit();", 6],
    ["/** Plugs into Deno.serve. */\nexport {}", undefined],
    ["// Deno.serve\nrun();", undefined],
    ['const name = "Deno";', undefined],
    ["const name = 'a \\' Deno';", undefined],
    ['fetch("http://x"); Deno.exit()', 1],
    ["isDeno(DenoLike)", undefined],
  ];
  for (const [source, expected] of table) assertEquals(findDeno(source), expected, source);
});

Deno.test("readBuiltinModules() returns the modules that code reads from the process, with their lines", () => {
  const table: readonly [string, readonly (readonly [string, number])[]][] = [
    ['process.getBuiltinModule("node:fs")', [["node:fs", 1]]],
    ['process\n  ?.getBuiltinModule?.( "node:fs" );', [["node:fs", 2]]],
    ['// getBuiltinModule("node:fs")\nconst a = "getBuiltinModule(";', []],
    ["getBuiltinModule(name);\nf('node:fs')", []],
    ['getBuiltinModule?(name: "node:fs"): unknown', []],
  ];
  for (const [source, expected] of table) {
    const found = readBuiltinModules(source).map(({ specifier, line }) => [specifier, line]);
    assertEquals(found, expected.map((each) => [...each]), source);
  }
});

Deno.test("readDynamicImports() returns the specifiers in code with their lines, and * for a computed specifier", () => {
  const table: readonly [string, readonly (readonly [string, number])[]][] = [
    ['await import("./a.ts")', [["./a.ts", 1]]],
    ['let a: typeof import("./a.ts");\nimport( "./b.ts" )', [["./a.ts", 1], ["./b.ts", 2]]],
    ["/* a\n */\nimport(name)", [["*", 3]]],
    ["import(`./${name}.ts`)", [["*", 1]]],
    ['import(/* why */ "./a.ts")', [["./a.ts", 1]]],
    ['// import("./a.ts")\nconst a = "import(x)"; import.meta.url', []],
    ['import a from "./a.ts"; important(1)', []],
  ];
  for (const [source, expected] of table) {
    const found = readDynamicImports(source).map(({ specifier, line }) => [specifier, line]);
    assertEquals(found, expected.map((each) => [...each]), source);
  }
});

Deno.test("checkRatcheted() counts import() expressions, folder cycles and floors for each member", () => {
  const rules: LayerRules = {
    m: { ...NO_DOORS, dynamicImports: { "a/one.ts": ["noble"] }, maxFloors: 1 },
  };
  const files: SourceFile[] = [
    { path: "m/mod.ts", imports: [to("m/a/one.ts")], dynamicImports: [] },
    {
      path: "m/a/one.ts",
      imports: [{ ...to("m/b/two.ts"), line: 5 }, { ...to("m/b/two.ts"), line: 6 }],
      dynamicImports: [{ specifier: "noble", line: 7 }, { specifier: "./x.ts", line: 8 }],
    },
    {
      path: "m/b/two.ts",
      imports: [{ ...to("m/a/one.ts"), line: 2 }],
      dynamicImports: [{ specifier: "*", line: 9 }],
    },
  ];
  const { counts, places } = checkRatcheted(rules, files);
  assertEquals(Object.fromEntries(counts), {
    "m, floors above 1": 1,
    "m, import() expressions": 2,
    "m, folder cycles": 1,
  });
  assertEquals([...places.values()].flat(), [
    'm/a/one.ts:8 calls import("./x.ts"): write a static import',
    "m/b/two.ts:9 calls import(…): write a static import",
    "m: the folders a/, b/ import each other: " +
    "m/a/one.ts:5 imports m/b/two.ts, m/b/two.ts:2 imports m/a/one.ts",
  ]);
});

Deno.test("checkLayers() reports allowed import() expressions and outside folders that no file uses", () => {
  const rules: LayerRules = {
    m: {
      ...NO_DOORS,
      order: [["a.ts"]],
      dynamicImports: { "a.ts": ["noble"] },
      outside: { "a.ts": ["x/"] },
    },
  };
  const a = { path: "m/a.ts", imports: [], dynamicImports: [] };
  assertEquals(checkLayers(rules, [a]), [
    'tools/gates/layers.json lists the call import("noble") in a.ts, which m no longer has; remove it',
    "tools/gates/layers.json lists the import of x/ in a.ts, which m no longer has; remove it",
  ]);
});

Deno.test("checkLayers() rejects imports of JSON and of other members by name", () => {
  const rules: LayerRules = { m: { ...NO_DOORS, order: [["a.ts"]] } };
  const imports = [
    { specifier: "../deno.json", file: "deno.json" },
    { specifier: "@parley/n", file: "n/mod.ts" },
  ];
  const a = { path: "m/a.ts", imports, dynamicImports: [] };
  assertEquals(checkLayers(rules, [a]), [
    "m/a.ts imports deno.json: a file outside m/ would not be published",
    "m/a.ts imports n/mod.ts: a file outside m/ would not be published",
  ]);
});

function to(file: string): { specifier: string; file: string } {
  return { specifier: `./${file}`, file };
}
