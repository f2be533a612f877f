import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../cli.ts";
import { findLicenseErrors, listDependencies, markBundled, type Sbom } from "./sboms.ts";

const OWN = {
  "bom-ref": "@parley/comm@1.0.0",
  name: "@parley/comm",
  version: "1.0.0",
  licenses: [{ license: { id: "MIT" } }],
};

function sbomWith(licenses: Sbom["components"][number]["licenses"] & object): Sbom {
  return {
    metadata: { component: OWN },
    components: [{ "bom-ref": "other@2.0.0", name: "other", version: "2.0.0", licenses }],
    dependencies: [],
  };
}

/** Returns a component as npm lists it, with properties that have the value `true`. */
function component(name: string, scope: string, ...properties: readonly string[]) {
  return {
    "bom-ref": `${name}@1.0.0`,
    name,
    version: "1.0.0",
    licenses: [{ license: { id: "MIT" } }],
    scope,
    properties: properties.map((each) => ({ name: `cdx:npm:package:${each}`, value: "true" })),
  };
}

const LISTED: Sbom = {
  metadata: { component: OWN },
  components: [
    component("leftover", "optional", "development", "extraneous"),
    component("joined", "optional", "development", "extraneous"),
    component("installed", "required"),
  ],
  dependencies: [
    { ref: "@parley/comm@1.0.0", dependsOn: ["installed@1.0.0"] },
    { ref: "leftover@1.0.0", dependsOn: [] },
    { ref: "joined@1.0.0", dependsOn: [] },
    { ref: "installed@1.0.0", dependsOn: [] },
  ],
};

Deno.test("markBundled() lists contained packages as required, and removes leftovers", () => {
  const sbom = markBundled(LISTED, ["joined@1.0.0"]);
  assertEquals(sbom, {
    metadata: { component: OWN },
    components: [component("joined", "required", "bundled"), component("installed", "required")],
    dependencies: [
      { ref: "@parley/comm@1.0.0", dependsOn: ["joined@1.0.0", "installed@1.0.0"] },
      { ref: "joined@1.0.0", dependsOn: [] },
      { ref: "installed@1.0.0", dependsOn: [] },
    ],
  });
  assertEquals(
    listDependencies(sbom),
    "@parley/comm 1.0.0: MIT\n  joined 1.0.0: MIT, contained\n  installed 1.0.0: MIT",
  );
});

Deno.test("markBundled() rejects a list without a contained package", () => {
  assertThrows(() => markBundled(LISTED, ["joined@2.0.0"]), ToolError, "joined@2.0.0");
});

Deno.test("listDependencies() returns name, version and license of each package", () => {
  assertEquals(
    listDependencies(sbomWith([{ expression: "MIT OR ISC" }])),
    "@parley/comm 1.0.0: MIT\n  other 2.0.0: MIT OR ISC",
  );
});

Deno.test("findLicenseErrors() accepts allowed licenses, as identifiers and in expressions", () => {
  assertEquals(findLicenseErrors(sbomWith([{ license: { id: "Apache-2.0" } }])), []);
  assertEquals(findLicenseErrors(sbomWith([{ expression: "(GPL-3.0-only OR MIT)" }])), []);
});

Deno.test("findLicenseErrors() rejects licenses that are not allowed, unknown or missing", () => {
  const errors = (licenses: Parameters<typeof sbomWith>[0]) =>
    findLicenseErrors(sbomWith(licenses)).map((line) => line.split(":", 1)[0]);
  assertEquals(errors([{ license: { id: "MPL-2.0" } }]), ["other@2.0.0"]);
  assertEquals(errors([{ license: { id: "MIT" } }, { license: { id: "GPL-2.0-only" } }]), [
    "other@2.0.0",
  ]);
  assertEquals(errors([{ license: { name: "see LICENSE" } }]), ["other@2.0.0"]);
  assertEquals(errors([]), ["other@2.0.0"]);
});
