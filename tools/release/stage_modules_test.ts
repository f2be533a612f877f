import { assert, assertEquals, assertThrows } from "@std/assert";
import { type Member, readMembers } from "../members.ts";
import { linkShared, readStaged } from "./stage_modules.ts";

const SHARED: Member = {
  folder: "internal",
  name: "@parley/internal",
  version: "0.1.0",
  exports: new Map([["./error-printer", "error_printer.ts"]]),
};

Deno.test("linkShared() makes imports of the shared code relative to the importing module", () => {
  const text = `import { a } from "@parley/internal/error-printer";\n`;
  const table: readonly [string, string][] = [
    ["mod.ts", "./internal/error_printer.ts"],
    ["loop/run.ts", "../internal/error_printer.ts"],
    ["a/b/c.ts", "../../internal/error_printer.ts"],
    ["internal/json.ts", "./error_printer.ts"],
  ];
  for (const [path, target] of table) {
    assertEquals(linkShared(text, path, SHARED), `import { a } from "${target}";\n`, path);
  }
});

Deno.test("linkShared() follows imports over several lines, and exports", () => {
  const text = `import {\n  a,\n  type B,\n} from "@parley/internal/error-printer";\n` +
    `export { a } from "@parley/internal/error-printer";\n`;
  assertEquals(
    linkShared(text, "mod.ts", SHARED),
    text.replaceAll("@parley/internal/error-printer", "./internal/error_printer.ts"),
  );
});

Deno.test("linkShared() leaves strings, examples and other packages unchanged", () => {
  const text = `/**\n * import { a } from "@parley/internal/error-printer";\n */\n` +
    `import { b } from "@parley/comm/did";\nconst name = "@parley/internal/error-printer";\n`;
  assertEquals(linkShared(text, "mod.ts", SHARED), text);
});

Deno.test("linkShared() throws if the shared code has no such entry point", () => {
  const text = `import { a } from "@parley/internal/none";\n`;
  assertThrows(() => linkShared(text, "mod.ts", SHARED), Error, "none");
});

Deno.test("readStaged() reads the modules of both members, without tests", async () => {
  const members = await readMembers();
  const [shared, comm] = members;
  assert(shared?.folder === "internal" && comm?.folder === "comm");
  const texts = await readStaged(comm, shared);
  const paths = [...texts.keys()];
  assertEquals(paths.filter((path) => path.endsWith("_test.ts")), []);
  for (const path of ["mod.ts", "did/web.ts", "deno.json", "internal/error_printer.ts"]) {
    assert(paths.includes(path), path);
  }
  const left = [...texts].filter(([, text]) =>
    /^(?:import|} from) .*"@parley\/internal/m.test(text)
  );
  assertEquals(left.map(([path]) => path), []);
  assert(texts.get("requests/peer.ts")?.includes(`from "../internal/error_reporter.ts"`));
});
