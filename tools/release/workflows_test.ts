import { assert, assertEquals } from "@std/assert";
import { parseYAML } from "confbox/yaml";
import { readPackages, ROOT } from "../members.ts";

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
  readonly "timeout-minutes"?: number;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = new URL(".github/workflows/", ROOT);
const TEXTS = new Map(
  await Promise.all(
    (await Array.fromAsync(Deno.readDir(FOLDER))).map(async ({ name }) =>
      [name, await Deno.readTextFile(new URL(name, FOLDER))] as const
    ),
  ),
);

function readWorkflow(name: string): Workflow {
  return parseYAML<Workflow>(TEXTS.get(name) ?? "");
}

const PUBLISH = readWorkflow("publish.yml");

function stepsOf(job: string): readonly Step[] {
  return PUBLISH.jobs[job]?.steps ?? [];
}

function scriptOf(job: string): string {
  return stepsOf(job).map(({ run = "" }) => run).join("\n");
}

for (const [name, text] of TEXTS) {
  const { permissions, jobs } = readWorkflow(name);
  const steps = Object.values(jobs).flatMap(({ steps = [] }) => steps);

  Deno.test(`${name} names each action by the hash of a commit and by its version`, () => {
    const external = [...text.matchAll(/^ *(?:- )?uses: ([^.\s]\S*)(.*)$/gm)];
    assertEquals(external.length, steps.filter(({ uses }) => uses !== undefined).length);
    for (const [line, action = "", comment = ""] of external) {
      assert(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action), line);
      assert(/^ # v\d+\.\d+\.\d+$/.test(comment), line);
    }
  });

  Deno.test(`${name} uses the same version of an action as the other workflows`, () => {
    const used = [...[...TEXTS.values()].join("\n").matchAll(/uses: (\S+)@(\S+)/g)];
    const actions = Map.groupBy(used, ([, action]) => action);
    for (const [action, uses] of actions) {
      assertEquals(new Set(uses.map(([, , hash]) => hash)).size, 1, action);
    }
  });

  Deno.test(`${name} lets jobs only read unless a job declares another permission`, () => {
    for (const value of Object.values(permissions)) assertEquals(value, "read");
  });

  Deno.test(`${name} inserts no expression into a script`, () => {
    for (const { run = "" } of steps) assert(!run.includes("${{"), run);
  });

  Deno.test(`${name} stores no credentials and limits the time of each job`, () => {
    for (const { uses = "", with: inputs = {} } of steps) {
      if (uses.startsWith("actions/checkout@")) assertEquals(inputs["persist-credentials"], false);
    }
    for (const [id, job] of Object.entries(jobs)) {
      assert(job.uses !== undefined || Number(job["timeout-minutes"]) > 0, id);
    }
  });
}

Deno.test("publish.yml starts only for tags of versions, and runs the full checks first", () => {
  assertEquals(PUBLISH.on, { push: { tags: ["v[0-9]+.[0-9]+.[0-9]+"] } });
  assertEquals(PUBLISH.jobs["gates"]?.uses, "./.github/workflows/ci.yml");
  for (const job of ["jsr", "npm"]) {
    assertEquals(PUBLISH.jobs[job]?.needs, ["gates", "build"]);
    assertEquals(PUBLISH.jobs[job]?.environment, "release");
  }
  assertEquals(PUBLISH.jobs["release"]?.needs, ["jsr", "npm"]);
});

Deno.test("publish.yml gives each job only the permissions that the job needs", () => {
  assertEquals(PUBLISH.permissions, {});
  const permissions = Object.entries(PUBLISH.jobs).map(([id, job]) => [id, job.permissions]);
  assertEquals(Object.fromEntries(permissions), {
    gates: { contents: "read" },
    build: { contents: "read" },
    jsr: { contents: "read", "id-token": "write" },
    npm: { "id-token": "write" },
    release: { contents: "write" },
  });
});

Deno.test("publish.yml uses no secret", () => {
  assert(!/secrets\s*[.[]/.test(TEXTS.get("publish.yml") ?? ""), "publish.yml names a secret");
});

Deno.test("publish.yml builds without the offline links, and publishes with provenance", async () => {
  const build = scriptOf("build");
  const commands = ["version.ts notes", "unlink_offline.ts", "build:npm --repository", "sboms.ts"];
  const positions = commands.map((command) => build.indexOf(command));
  assert(positions.every((position) => position >= 0), build);
  assertEquals(positions, positions.toSorted((a, b) => a - b));
  assert(scriptOf("npm").includes("npm publish --provenance --access public"), scriptOf("npm"));
  const folders = (await readPackages()).map(({ folder }) => folder);
  assert(scriptOf("npm").includes(`for member in ${folders.join(" ")}; do`), scriptOf("npm"));
  assert(build.includes(folders.map((folder) => `./npm/${folder}`).join(" ")), build);
});

Deno.test("the job of publish.yml that publishes to npm runs no code of this repository", () => {
  const actions = stepsOf("npm").flatMap(({ uses = [] }) => uses).map((uses) => uses.split("@")[0]);
  assertEquals(actions, ["actions/setup-node", "actions/download-artifact"]);
  assert(!/\b(deno|npx|npm (install|ci|run|exec))\b/.test(scriptOf("npm")), scriptOf("npm"));
});
