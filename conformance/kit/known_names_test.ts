import { assertEquals, assertThrows } from "@std/assert";
import { KitError } from "./error.ts";
import { assertKnownNames, type OptionNames } from "./known_names.ts";

interface Limits {
  readonly least: number;
  readonly most?: number;
}

const NAMES: OptionNames<Limits> = { least: true, most: true };

Deno.test("assertKnownNames() accepts known names, and unknown names that are undefined", () => {
  assertKnownNames("limits", { least: 1 }, NAMES);
  const options: Limits = { least: 1, most: 2 };
  Reflect.set(options, "more", undefined);
  assertKnownNames("limits", options, NAMES);
});

Deno.test("assertKnownNames() rejects an unknown name and lists the options", () => {
  for (const name of ["mots", "toString", "__proto__"]) {
    const options: Limits = JSON.parse(`{ "least": 1, "${name}": 2 }`);
    const error = assertThrows(() => assertKnownNames("limits", options, NAMES), KitError);
    assertEquals(error.code, "usage");
    assertEquals(
      error.message,
      `Cannot read "limits": it has no option "${name}"; the options are least, most`,
    );
  }
});
