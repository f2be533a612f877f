import { assertEquals } from "@std/assert";
import { ReadyLanes } from "./ready_lanes.ts";

interface TestLane {
  readonly party: string;
  readonly n: number;
}

function shiftAll(lanes: ReadyLanes<TestLane>, hasCapacity: (party: string) => boolean): string[] {
  const shifted: string[] = [];
  for (let lane = lanes.shift(hasCapacity); lane; lane = lanes.shift(hasCapacity)) {
    shifted.push(`${lane.party}${lane.n}`);
  }
  return shifted;
}

Deno.test("ReadyLanes lets parties take turns, the oldest lane of each first", () => {
  const lanes = new ReadyLanes<TestLane>();
  for (let n = 0; n < 3; n++) lanes.push({ party: "eve", n });
  lanes.push({ party: "ann", n: 0 });
  assertEquals(shiftAll(lanes, () => true), ["eve0", "ann0", "eve1", "eve2"]);
  assertEquals(lanes.shift(() => true), undefined);
});

Deno.test("ReadyLanes passes over a party without capacity, which keeps its turn", () => {
  const lanes = new ReadyLanes<TestLane>();
  for (const party of ["eve", "ann", "ann", "bob"]) lanes.push({ party, n: 0 });
  assertEquals(shiftAll(lanes, (party) => party !== "eve"), ["ann0", "bob0", "ann0"]);
  assertEquals(shiftAll(lanes, () => true), ["eve0"]);
});
