import { assertEquals } from "@std/assert";
import { findLicenseErrors, listDependencies, type Sbom } from "./sboms.ts";

function sbomWith(licenses: Sbom["components"][number]["licenses"] & object): Sbom {
  const own = { name: "@parley/comm", version: "1.0.0", licenses: [{ license: { id: "MIT" } }] };
  return {
    metadata: { component: own },
    components: [{ name: "other", version: "2.0.0", licenses }],
  };
}

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
