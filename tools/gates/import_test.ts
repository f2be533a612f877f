import { assertEquals } from "@std/assert";
import { type Member, readMembers, ROOT } from "../members.ts";

/** Entry points that are programs rather than modules. */
const PROGRAMS: ReadonlySet<string> = new Set([
  "@parley/conformance/cli",
  "@parley/mcp/cli",
  "@parley/runtime/init",
  "@parley/runtime/runs-cli",
]);

interface Import {
  readonly success: boolean;
  readonly stderr: string;
  /** Permission checks that Deno logged during the import, one JSON object per line. */
  readonly audit: string;
}

async function importAlone(file: URL): Promise<Import> {
  const { success, stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--allow-all", file.href],
    cwd: ROOT,
    env: { DENO_AUDIT_PERMISSIONS: "/dev/stdout", NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  // The permission "import" is ignored, because Deno itself fetches dependencies from their
  // registry.
  const audit = decoder.decode(stdout).split("\n")
    .filter((line) => !line.includes('"permission":"import"')).join("\n");
  return { success, stderr: decoder.decode(stderr), audit };
}

function entryPoints(members: readonly Member[]): readonly (readonly [string, URL])[] {
  return members.flatMap(({ name, folder, exports }) =>
    [...exports]
      .filter(([, file]) => file.endsWith(".ts"))
      .map(([path, file]) => [name + path.slice(1), new URL(`${folder}/${file}`, ROOT)] as const)
      .filter(([specifier]) => !PROGRAMS.has(specifier))
  );
}

/**
 * Environment variables that entry points read when they are imported. A dependency of cross-spawn
 * reads `OSTYPE` to recognize Cygwin.
 */
const READS: ReadonlyMap<string, string> = new Map([
  ["@parley/conformance", "OSTYPE"],
  ["@parley/mcp/process", "OSTYPE"],
]);

// An import that accesses nothing needs no permissions. If an import printed a line, the line would
// not be JSON.
Deno.test("importing an entry point accesses nothing and prints nothing", async () => {
  for (const [specifier, file] of entryPoints(await readMembers())) {
    const { success, stderr, audit } = await importAlone(file);
    const touched = audit.split("\n").filter((line) => line !== "").map((line) =>
      JSON.parse(line).value
    );
    const variable = READS.get(specifier);
    const expected = variable === undefined ? [] : [variable];
    assertEquals(
      [specifier, success, stderr, [...new Set(touched)]],
      [specifier, true, "", expected],
    );
  }
});

Deno.test("the permission audit reports an import that reads an environment variable", async () => {
  const program = "data:application/javascript,Deno.env.get('PARLEY_PROPERTY_FACTOR')";
  const { audit } = await importAlone(new URL(program));
  assertEquals(JSON.parse(audit).permission, "env");
});
