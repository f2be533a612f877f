/**
 * Writes a software bill of materials for each built npm package: a CycloneDX file that lists the
 * packages that npm installs with it, with their versions and licenses. A license that the project
 * does not allow is an error.
 *
 *     deno run -A tools/release/sboms.ts npm sboms     reads the packages in npm/ and writes to sboms/
 *
 * @module
 */

import { readArguments, run, runTool, ToolError } from "../cli.ts";
import { findDisallowed } from "../gates/licenses.ts";
import { type Member, readPackages } from "../members.ts";

/** The part of a bill of materials that this module reads. */
export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

/** A package. */
interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly expression?: string;
    readonly license?: { readonly id?: string; readonly name?: string };
  }[];
}

/**
 * Writes a bill of materials for each package and prints the dependencies.
 *
 * @param packages Folder of the built packages.
 * @param out Folder for the bills of materials; created if it does not exist.
 * @returns the bills of materials, in the order of the members
 * @throws {ToolError} If a license is not allowed in published packages.
 */
export async function writeSboms(packages: string, out: string): Promise<Sbom[]> {
  await Deno.mkdir(out, { recursive: true });
  const sboms: Sbom[] = [];
  for (const member of await readPackages()) {
    const sbom = await describe(member, `${packages}/${member.folder}`);
    const file = `${member.name.slice(1).replace("/", "-")}-${member.version}.cdx.json`;
    await Deno.writeTextFile(`${out}/${file}`, `${JSON.stringify(sbom, null, 2)}\n`);
    console.log(listDependencies(sbom));
    sboms.push(sbom);
  }
  const errors = sboms.flatMap(findLicenseErrors);
  if (errors.length > 0) throw new ToolError(errors.join("\n"));
  return sboms;
}

async function describe({ name }: Member, cwd: string): Promise<Sbom> {
  const args = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=library", "--omit=dev"];
  const { stdout } = await run("npm", args, { cwd });
  const sbom = JSON.parse(stdout);
  // npm names the package after its folder.
  sbom.metadata.component.name = name;
  return sbom;
}

/** Returns a line for the package and a line for each of its dependencies. */
export function listDependencies({ metadata: { component }, components }: Sbom): string {
  const lines = components.map((each) => `  ${each.name} ${each.version}: ${licenseOf(each)}`);
  return [`${component.name} ${component.version}: ${licenseOf(component)}`, ...lines].join("\n");
}

/** Returns a line for each dependency whose license is not allowed in published packages. */
export function findLicenseErrors({ metadata, components }: Sbom): string[] {
  const packages = [metadata.component, ...components].map((each) => ({
    name: each.name,
    version: each.version,
    license: licenseOf(each),
  }));
  return findDisallowed(packages, "published");
}

function licenseOf({ licenses = [] }: Component): string {
  return licenses.map(({ expression, license }) => expression ?? license?.id ?? license?.name)
    .join(" AND ");
}

async function main(): Promise<number> {
  const { positionals: [packages, out] } = readArguments(Deno.args, {});
  if (packages === undefined || out === undefined) {
    throw new ToolError("Expected two arguments: the folder of the packages and a new folder");
  }
  await writeSboms(packages, out);
  return 0;
}

if (import.meta.main) await runTool("sboms", main);
