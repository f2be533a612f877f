import { assert, assertEquals } from "@std/assert";
import { seededRandom, shuffle } from "../selftest/random/seeded_random.ts";
import {
  createTargets,
  findGaps,
  type Gap,
  type Target,
  verdictsOf,
  withGap,
} from "./schema_mutants.ts";

/** A gap in one place. */
interface GapIn {
  readonly gap: Gap;
  readonly target: Target;
}

Deno.test("the tables of messages notice 100 random gaps in the schemas", () => {
  const all = createTargets().flatMap((target) => findGaps(target).map((gap) => ({ gap, target })));
  const definitions = Map.groupBy(all, ({ gap, target }) => `${target.version} ${gap.definition}`);
  assert(definitions.size > 1_000, String(definitions.size));
  const verdicts = new Map<Target, string>();
  const isNoticed = ({ gap, target }: GapIn) => {
    const original = verdicts.get(target) ?? verdictsOf(target, target.schema);
    verdicts.set(target, original);
    return verdictsOf(target, withGap(target.schema, gap)) !== original;
  };
  const drawn = shuffle([...definitions.values()], seededRandom(1)).slice(0, 100);
  // The same definition occurs in several messages. It is enough that the tables notice one of
  // them.
  const unnoticed = drawn.filter((places) =>
    !places.toSorted((a, b) => a.gap.path.length - b.gap.path.length).slice(0, 8).some(isNoticed)
  );
  const names = unnoticed.flatMap(([first]) =>
    first === undefined ? [] : [
      `${first.target.label} ${first.gap.path.join(".")} ${first.gap.keyword} ${
        first.gap.entry ?? ""
      }`,
    ]
  );
  assertEquals(names, []);
});
