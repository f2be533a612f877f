import { assertEquals } from "@std/assert";
import { ReadyJobs } from "./ready_jobs.ts";

interface TestJob {
  readonly run: { readonly party?: string };
  readonly id: string;
}

function job(id: string, party?: string): TestJob {
  return { id, run: party === undefined ? {} : { party } };
}

function takeAll(jobs: ReadyJobs<TestJob>, agents: readonly string[]): string {
  const ids: string[] = [];
  const served = new Set(agents);
  for (let next = jobs.take(served); next !== undefined; next = jobs.take(served)) {
    ids.push(next.id);
  }
  return ids.join(" ");
}

Deno.test("ReadyJobs takes the jobs of all parties in turns", () => {
  const jobs = new ReadyJobs<TestJob>();
  for (let index = 0; index < 4; index++) jobs.add("a", job(`m${index}`, "mallory"));
  jobs.add("a", job("x0", "ann"));
  jobs.add("a", job("x1", "ann"));
  jobs.add("a", job("own"));
  assertEquals(takeAll(jobs, ["a"]), "m0 x0 own m1 x1 m2 m3");
  assertEquals(takeAll(jobs, ["a"]), "");
});

Deno.test("ReadyJobs takes turns across agents", () => {
  const jobs = new ReadyJobs<TestJob>();
  for (let index = 0; index < 3; index++) jobs.add("a", job(`m${index}`, "mallory"));
  jobs.add("b", job("x0", "ann"));
  jobs.add("b", job("m3", "mallory"));
  assertEquals(takeAll(jobs, ["b"]), "m3 x0");
  jobs.add("b", job("m4", "mallory"));
  assertEquals(takeAll(jobs, ["a", "b"]), "m0 m4 m1 m2");
});

Deno.test("ReadyJobs keeps the order of the remaining jobs when it removes jobs", () => {
  const jobs = new ReadyJobs<TestJob>();
  for (const id of ["m0", "m1", "m2"]) jobs.add("a", job(id, "mallory"));
  jobs.add("a", job("x0", "ann"));
  const removed = jobs.remove(({ id }) => id === "m1" || id === "x0");
  assertEquals(removed.map(({ id }) => id), ["m1", "x0"]);
  assertEquals(takeAll(jobs, ["a"]), "m0 m2");
});
