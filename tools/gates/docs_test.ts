import { assertEquals } from "@std/assert";
import { checkDocs, type DocOutput, readLint } from "./docs.ts";

const ROOT = "file:///repo/";
const EXAMPLE = "Sign and verify\n```ts\nassert(true);\n```";

/** One entry point with one symbol. */
function output(
  kind: string,
  doc: string,
  example: string | undefined,
  module = "The module.",
): DocOutput {
  const tags = example === undefined ? [] : [{ kind: "example", doc: example }];
  const declaration = {
    kind,
    declarationKind: "export",
    location: { filename: `${ROOT}m/lib.ts`, line: 6 },
    jsDoc: { doc, tags },
  };
  const symbols = [{ name: "sign", declarations: [declaration] }];
  return { nodes: { [`${ROOT}m/mod.ts`]: { module_doc: { doc: module }, symbols } } };
}

Deno.test("checkDocs() accepts a documented function, class, type and constant", () => {
  for (const kind of ["function", "class", "interface", "typeAlias", "variable"]) {
    assertEquals(checkDocs(output(kind, "Signs.", EXAMPLE), ROOT), {
      errors: [],
      withoutExample: [],
    }, kind);
  }
});

Deno.test("checkDocs() requires a module doc and a doc comment", () => {
  const { errors } = checkDocs(output("function", " ", EXAMPLE, ""), ROOT);
  assertEquals(errors, [
    "m/mod.ts:1 has no module doc; add a comment with @module",
    "m/lib.ts:7 sign has no doc comment",
  ]);
});

Deno.test("checkDocs() rejects a symbol of the shared code in an entry point", () => {
  const { nodes } = output("function", "Signs.", EXAMPLE);
  const moved = JSON.parse(
    JSON.stringify(nodes).replace("/repo/m/lib.ts", "/repo/internal/lib.ts"),
  );
  assertEquals(checkDocs({ nodes: moved }, ROOT).errors, [
    "internal/lib.ts:7 sign is exported by m/mod.ts: declare it in the member",
  ]);
});

Deno.test("checkDocs() requires a titled, runnable example for each function and class", () => {
  const error =
    "m/lib.ts:7 sign has no titled, runnable example; add @example with a title and ts code";
  const table: readonly [string | undefined, readonly string[]][] = [
    [EXAMPLE, []],
    ["Title\n\nSome prose.\n\n```typescript\nrun();\n```", []],
    [undefined, [error]],
    ["```ts\nassert(true);\n```", [error]],
    ["Title\n```ts ignore\nassert(true);\n```", [error]],
    ["Title\n```sh\nls\n```", [error]],
    ["Title only", [error]],
  ];
  for (const [example, expected] of table) {
    assertEquals(
      checkDocs(output("class", "Signs.", example), ROOT).errors,
      [...expected],
      example,
    );
  }
});

Deno.test("checkDocs() lists types and constants without an example, but not as errors", () => {
  const report = checkDocs(output("interface", "A thing.", undefined), ROOT);
  assertEquals(report, { errors: [], withoutExample: ["sign"] });
});

Deno.test("checkDocs() ignores symbols that are documented elsewhere or not exported", () => {
  for (const change of [{ kind: "reference" }, { declarationKind: "private" }]) {
    const { nodes } = output("function", "", undefined);
    const changed = Object.fromEntries(
      Object.entries(nodes).map(([url, node]) => [url, {
        ...node,
        symbols: node.symbols.map(({ name, declarations }) => ({
          name,
          declarations: declarations.map((declaration) => ({ ...declaration, ...change })),
        })),
      }]),
    );
    assertEquals(checkDocs({ nodes: changed }, ROOT).errors, []);
  }
});

Deno.test("checkDocs() accepts a doc comment on only one overload of a function", () => {
  const documented = output("function", "Signs.", EXAMPLE).nodes[`${ROOT}m/mod.ts`];
  const bare = output("function", "", undefined).nodes[`${ROOT}m/mod.ts`];
  const declarations = [documented, bare].flatMap((node) => node?.symbols[0]?.declarations ?? []);
  const nodes = {
    [`${ROOT}m/mod.ts`]: { module_doc: { doc: "M." }, symbols: [{ name: "sign", declarations }] },
  };
  assertEquals(checkDocs({ nodes }, ROOT).errors, []);
});

Deno.test("readLint() returns one line for each finding, and unknown text unchanged", () => {
  const finding = `error[missing-jsdoc]: exported symbol is missing JSDoc documentation
 --> /repo/m/lib.ts:4:22
  |
4 | export interface T { a: string }
`;
  const line = "m/lib.ts:4:22 exported symbol is missing JSDoc documentation (missing-jsdoc)";
  assertEquals(readLint(`${finding}\n${finding}\nerror: Found 2 errors.`, "/repo/"), [line, line]);
  assertEquals(readLint("error: Module not found\n", "/repo/"), ["error: Module not found"]);
});
