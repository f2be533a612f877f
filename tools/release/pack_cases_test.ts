import { assertEquals } from "@std/assert";
import { run } from "../cli.ts";
import { CASE_IMPORTS, formatJsonModule, readJsonModule } from "./pack_cases.ts";

Deno.test("readJsonModule() returns the value of a module that exports only JSON", () => {
  assertEquals(readJsonModule('export default {\n    "a": [1]\n};\n'), { json: { a: [1] } });
  assertEquals(readJsonModule("export default null"), { json: null });
  for (const text of ["export default { a: 1 };\n", "export const a = 1;\n", "export default a;"]) {
    assertEquals(readJsonModule(text), undefined, text);
  }
});

Deno.test("formatJsonModule() returns a module whose value is equal, for all characters that need escapes", async () => {
  const value = {
    "'": 'it\'s "quoted"',
    lines: "a\n\r\t\u2028\u2029\\n",
    slashes: "\\ \\\\ </script> ${x} `",
    other: ["\u0000", "\u00e9", "\ud83d\ude00", -0.5, null, true],
  };
  const program = formatJsonModule(value).replace(
    /^export default ([^]*);\n$/,
    (_, code: string) => `console.log(JSON.stringify(${code}));`,
  );
  const { stdout } = await run("deno", ["eval", program]);
  assertEquals(JSON.parse(stdout), value);
});

/** Case files in the folder of the kit. */
const SOURCE = {
  "cases/mcp/server/b.json": '{ "kit": 1, "name": "it\'s" }\n',
  "cases/comm/a.json": '{\n    "kit": 1\n}\n',
};

/** Files of a package that was compiled with empty case files. */
const PACKAGE = {
  "package.json": `{ "type": "module" }`,
  "suite.js": `import { readCaseFiles } from "./case_files.js";
console.log(JSON.stringify([...readCaseFiles()]));
`,
  "case_files.js": "the compiled module",
  "cases/mcp/server/b.js": "export default {};\n",
  "cases/comm/a.js": "export default {};\n",
  "spec.js": "export default [\n    1\n];\n",
};

/**
 * Packs a package, prints some files, and runs it with each target of its import. Tests cannot
 * write files.
 */
const PROGRAM = `
import { CASE_IMPORTS, emptyCases, minifyJsonModules, packCases } from ${
  JSON.stringify(new URL("pack_cases.ts", import.meta.url))
};
const dir = await Deno.makeTempDir();
const esm = dir + "/esm";
const source = dir + "/source";
for (const [folder, files] of [[esm, ${JSON.stringify(PACKAGE)}], [source, ${
  JSON.stringify(SOURCE)
}]]) {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(folder + "/" + path.replace(/[^/]+$/, ""), { recursive: true });
    await Deno.writeTextFile(folder + "/" + path, text);
  }
}
await packCases(esm, source);
await minifyJsonModules(esm);
const outputs = [];
for (const target of Object.values(CASE_IMPORTS["#case-files"])) {
  const manifest = { type: "module", imports: { "#case-files": target } };
  await Deno.writeTextFile(dir + "/package.json", JSON.stringify(manifest));
  const command = new Deno.Command("deno", { args: ["run", "-A", "--quiet", esm + "/suite.js"] });
  outputs.push(JSON.parse(new TextDecoder().decode((await command.output()).stdout)));
}
const spec = await Deno.readTextFile(esm + "/spec.js");
const files = [...Deno.readDirSync(esm + "/cases")].map(({ name }) => name).sort();
await emptyCases(source);
const emptied = await Promise.all(
  ["comm/a", "mcp/server/b"].map((name) => Deno.readTextFile(source + "/cases/" + name + ".json")),
);
await Deno.remove(dir, { recursive: true });
console.log(JSON.stringify({ outputs, spec, files, emptied }));
`;

Deno.test("packCases() writes one file for each library, which both modules return, and emptyCases() empties the files", async () => {
  const { stdout } = await run("deno", ["eval", PROGRAM]);
  const { outputs, spec, files, emptied } = JSON.parse(stdout);
  const cases = [
    ["cases/comm/a.json", { kit: 1 }],
    ["cases/mcp/server/b.json", { kit: 1, name: "it's" }],
  ];
  assertEquals(outputs, Object.values(CASE_IMPORTS["#case-files"]).map(() => cases));
  assertEquals(files, ["comm.json", "mcp.json"]);
  assertEquals(emptied, ["{}", "{}"]);
  assertEquals(spec, "export default JSON.parse('[1]');\n");
});
