/**
 * Draws random mutants of the Parley libraries and prints them as JSON. Every location in a library is equally
 * likely, and only mutants whose file has no type errors are drawn.
 *
 *     deno run -A lab/selftest/random/draw_mutants.ts '{"repository":"/repo","seed":1,"count":60,"members":["comm"],"outside":[]}'
 *
 * @module
 */

import { commandLine, writeOut } from "../../../conformance/platform/process.ts";
import type { DrawnMutant, DrawRequest } from "../drawn_mutant.ts";
import { listSites, type Site } from "./operators.ts";
import { seededRandom, shuffle } from "./seeded_random.ts";
import { TypeChecker } from "./type_checker.ts";
import { ts } from "./typescript.ts";

/** A location, and the file that contains it. */
interface Place extends Site {
  readonly file: string;
}

/** Paths of files that contain no library code. */
const NO_CODE = /_test\.ts$|\/testdata\/|\/stress\/|\.d\.ts$/;

function listFiles(request: DrawRequest, member: string): readonly string[] {
  const { repository, outside } = request;
  return ts.sys.readDirectory(`${repository}/${member}`, [".ts"], ["**/node_modules"])
    .map((path) => path.slice(repository.length + 1))
    .filter((file) => !NO_CODE.test(file))
    .filter((file) => !outside.some((prefix) => file.startsWith(prefix)))
    .toSorted();
}

function readSource(path: string): ts.SourceFile {
  const text = ts.sys.readFile(path) ?? "";
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
}

/**
 * Returns the smallest range of whole lines that contains a location and occurs once in the file,
 * because a mutant replaces a string that occurs once.
 */
function findUniqueRange(text: string, start: number, end: number): readonly [number, number] {
  let from = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const to = lineEnd < 0 ? text.length : lineEnd;
  while (from > 0 && text.split(text.slice(from, to)).length > 2) {
    from = text.lastIndexOf("\n", from - 2) + 1;
  }
  return [from, to];
}

/** Draws the mutants of one member. */
function drawMember(request: DrawRequest, member: string): readonly DrawnMutant[] {
  const { repository, seed, count } = request;
  const files = listFiles(request, member);
  const random = seededRandom(seed);
  const places = files.flatMap((file): readonly Place[] =>
    listSites(readSource(`${repository}/${file}`)).map((site) => ({ file, ...site }))
  );
  const checker = new TypeChecker(files.map((file) => `${repository}/${file}`));
  const drawn: DrawnMutant[] = [];
  for (const { file, operator, start, end, texts, context } of shuffle(places, random)) {
    if (drawn.length === count) break;
    const after = texts[Math.floor(random() * texts.length)] ?? "";
    const path = `${repository}/${file}`;
    const text = ts.sys.readFile(path) ?? "";
    const changed = text.slice(0, start) + after + text.slice(end);
    if (!checker.accepts(path, changed)) continue;
    const [from, to] = findUniqueRange(text, start, end);
    drawn.push({
      id: `${member}-${drawn.length + 1}`,
      member,
      file,
      line: text.slice(0, start).split("\n").length,
      operator,
      context,
      before: text.slice(start, end),
      after,
      find: text.slice(from, to),
      replace: text.slice(from, start) + after + text.slice(end, to),
    });
  }
  return drawn;
}

function main(): void {
  const request = JSON.parse(commandLine()[0] ?? "") as DrawRequest;
  const drawn = request.members.flatMap((member) => drawMember(request, member));
  writeOut(JSON.stringify(drawn));
}

main();
