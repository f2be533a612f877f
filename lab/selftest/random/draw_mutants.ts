/**
 * Draws random mutants of the Parley libraries and prints them as JSON. Every location in a library
 * is equally likely, and only mutants whose file has no type errors are drawn. The only argument is
 * a `DrawRequest` as JSON.
 *
 * @module
 */

import { commandLine, writeOut } from "../../../conformance/platform/process.ts";
import type { Draw, DrawnMutant, DrawRequest } from "../drawn_mutant.ts";
import { type Exclusions, findClassReason, readExclusions } from "../exclusions.ts";
import { listFiles, listPlaces, type Place, toMutant } from "./list_places.ts";
import { seededRandom, shuffle } from "./seeded_random.ts";
import { TypeChecker } from "./type_checker.ts";

/** Draws the mutants of one member, and counts its places. */
function drawMember(
  request: DrawRequest,
  { outside, classes }: Exclusions,
  member: string,
): Draw {
  const { repository, drawsExcluded } = request;
  const files = listFiles(repository, member, outside.flatMap((each) => each.files));
  const places = files.flatMap((file) => listPlaces(repository, file));
  const excluded = places.filter((place) => isExcluded(classes, member, place));
  const others = listFiles(repository, member, []).filter((file) => !files.includes(file))
    .flatMap((file) => listPlaces(repository, file));
  return {
    mutants: choose(request, member, { files, places: drawsExcluded ? excluded : places }),
    places: {
      [member]: {
        all: places.length + others.length,
        outside: others.length,
        inClasses: excluded.length,
      },
    },
  };
}

/** Chooses places in a random order, and a random change for each of them. */
function choose(
  { repository, seed, count }: DrawRequest,
  member: string,
  { files, places }: { readonly files: readonly string[]; readonly places: readonly Place[] },
): readonly DrawnMutant[] {
  const random = seededRandom(seed);
  const checker = new TypeChecker(files.map((file) => `${repository}/${file}`));
  const drawn: DrawnMutant[] = [];
  for (const place of shuffle(places, random)) {
    if (drawn.length === count) break;
    const { file, text, start, end, texts } = place;
    const after = texts[Math.floor(random() * texts.length)] ?? "";
    const changed = text.slice(0, start) + after + text.slice(end);
    if (!checker.accepts(`${repository}/${file}`, changed)) continue;
    drawn.push({ id: `${member}-${drawn.length + 1}`, member, ...toMutant(place, after) });
  }
  return drawn;
}

/** Returns true if the mutants at a place are in an excluded class, whatever the new text is. */
function isExcluded(classes: Exclusions["classes"], member: string, place: Place): boolean {
  return findClassReason(classes, { id: member, member, ...toMutant(place, "") }) !== undefined;
}

async function main(): Promise<void> {
  const request = JSON.parse(commandLine()[0] ?? "") as DrawRequest;
  const exclusions = await readExclusions(new URL(`file://${request.repository}/`));
  const draws = request.members.map((member) => drawMember(request, exclusions, member));
  const draw: Draw = {
    mutants: draws.flatMap(({ mutants }) => mutants),
    places: Object.assign({}, ...draws.map(({ places }) => places)),
  };
  writeOut(JSON.stringify(draw));
}

await main();
