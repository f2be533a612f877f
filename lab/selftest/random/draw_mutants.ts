/**
 * Draws random mutants of the Parley libraries and prints them as JSON. Every location in a library
 * is equally likely, and only mutants whose file has no type errors are drawn.
 *
 *     deno run -A lab/selftest/random/draw_mutants.ts '{"repository":"/repo","seed":1,"count":60,"members":["comm"],"outside":[]}'
 *
 * @module
 */

import { commandLine, writeOut } from "../../../conformance/platform/process.ts";
import type { DrawnMutant, DrawRequest } from "../drawn_mutant.ts";
import { listFiles, listPlaces, toMutant } from "./list_places.ts";
import { seededRandom, shuffle } from "./seeded_random.ts";
import { TypeChecker } from "./type_checker.ts";

/** Draws the mutants of one member. */
function drawMember(request: DrawRequest, member: string): readonly DrawnMutant[] {
  const { repository, seed, count, outside } = request;
  const files = listFiles(repository, member, outside);
  const random = seededRandom(seed);
  const places = files.flatMap((file) => listPlaces(repository, file));
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

function main(): void {
  const request = JSON.parse(commandLine()[0] ?? "") as DrawRequest;
  const drawn = request.members.flatMap((member) => drawMember(request, member));
  writeOut(JSON.stringify(drawn));
}

main();
