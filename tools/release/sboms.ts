/**
 * Writes a software bill of materials for each built npm package: a CycloneDX file that lists the
 * packages whose code it contains and the packages that npm installs with it, with their versions
 * and licenses. A license that the project does not allow is an error.
 *
 *     deno run -A tools/release/sboms.ts npm sboms     reads the packages in npm/ and writes to sboms/
 *
 * @module
 */

import { readArguments, run, runTool, ToolError } from "../cli.ts";
import { findDisallowed } from "../gates/licenses.ts";
import { type Member, readPackages } from "../members.ts";
import { readJoinedPackages } from "./joined_packages.ts";

/** The part of a bill of materials that this module reads. */
export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly {
    readonly ref: string;
    readonly dependsOn?: readonly string[];
  }[];
}

/** A package. */
interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly expression?: string;
    readonly license?: { readonly id?: string; readonly name?: string };
  }[];
  readonly scope?: string;
  readonly properties?: readonly Property[];
}

interface Property {
  readonly name: string;
  readonly value: string;
}

/** Property of packages that are installed and that no package.json names. */
const EXTRANEOUS = "cdx:npm:package:extraneous";

/**
 * Property of packages whose code another package contains.
 *
 * @see {@link https://github.com/CycloneDX/cyclonedx-property-taxonomy/blob/main/cdx/npm.md}
 */
const BUNDLED: Property = { name: "cdx:npm:package:bundled", value: "true" };

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
  const joined = await readJoinedPackages(cwd);
  return markBundled(sbom, joined.map((each) => `${each.name}@${each.version}`));
}

/**
 * Corrects the list of npm, for which packages that package.json does not name are leftovers in
 * `node_modules`: marks the packages whose code the package contains, and removes the others.
 *
 * @param bundled Names and versions of the packages whose code the package contains.
 * @throws {ToolError} If the list lacks one of these packages.
 */
export function markBundled(sbom: Sbom, bundled: readonly string[]): Sbom {
  const missing = bundled.find((ref) => sbom.components.every((each) => each["bom-ref"] !== ref));
  if (missing !== undefined) throw new ToolError(`npm sbom does not list ${missing}`);
  const components = sbom.components.flatMap((component) => {
    if (bundled.includes(component["bom-ref"])) {
      return [{ ...component, scope: "required", properties: [BUNDLED] }];
    }
    return (component.properties ?? []).some(({ name }) => name === EXTRANEOUS) ? [] : [component];
  });
  const own = sbom.metadata.component["bom-ref"];
  const kept = new Set([own, ...components.map((each) => each["bom-ref"])]);
  const dependencies = sbom.dependencies.filter(({ ref }) => kept.has(ref)).map((each) =>
    each.ref === own ? { ...each, dependsOn: [...bundled, ...each.dependsOn ?? []] } : each
  );
  return { ...sbom, components, dependencies };
}

/** Returns a line for the package and a line for each of its dependencies. */
export function listDependencies({ metadata: { component }, components }: Sbom): string {
  const lines = components.map((each) => {
    const isBundled = (each.properties ?? []).some(({ name }) => name === BUNDLED.name);
    return `  ${each.name} ${each.version}: ${licenseOf(each)}${isBundled ? ", contained" : ""}`;
  });
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
