/**
 * Checks the bills of materials of the npm packages against the schema of CycloneDX.
 *
 * @module
 */

import { type Schema, Validator } from "@cfworker/json-schema";
import { ToolError } from "../cli.ts";
import { install } from "./npm_packages.ts";
import { writeSboms } from "./sboms.ts";

/** The npm package with the schemas. */
const SCHEMAS = "@cyclonedx/cyclonedx-library@10.3.0";

/** Schemas referenced by the bill-of-materials schema. */
const REFERENCED = ["spdx", "jsf-0.82"] as const;

/**
 * Writes and checks a bill of materials for each built package.
 *
 * @param packages Folder of the built packages.
 * @param dir New folder for the bills of materials and the schemas.
 * @throws {ToolError} If a license is not allowed, or if a file does not match the schema.
 */
export async function checkSboms(packages: string, dir: string): Promise<void> {
  await install(dir, ["--ignore-scripts", "--omit=optional", "--omit=peer", SCHEMAS]);
  const validator = new Validator(await readSchema(dir, "bom-1.5"), "7", false);
  for (const name of REFERENCED) {
    const id = `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`;
    validator.addSchema(await readSchema(dir, name), id);
  }
  for (const sbom of await writeSboms(packages, `${dir}/files`)) {
    const { valid, errors } = validator.validate(sbom);
    if (valid) continue;
    const reasons = errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
    const { name } = sbom.metadata.component;
    throw new ToolError(`The bill of materials of ${name} is invalid:\n${reasons.join("\n")}`);
  }
}

async function readSchema(dir: string, name: string): Promise<Schema> {
  const folder = `${dir}/node_modules/@cyclonedx/cyclonedx-library/res/schema`;
  return JSON.parse(await Deno.readTextFile(`${folder}/${name}.SNAPSHOT.schema.json`));
}
