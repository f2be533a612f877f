/**
 * The import graph of a member's folders: its cycles and its number of floors, which is the length
 * of its longest import chain.
 *
 * A node is a file in the root of the member, or a folder in the root with everything in it.
 *
 * @module
 */

import type { SourceFile } from "./layer_rules.ts";

/** The nodes that each node imports. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the nodes that each node of a member imports. */
export function folderGraph(member: string, files: readonly SourceFile[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const node = nodeOf(member, path);
    if (node === undefined) continue;
    const targets = graph.get(node) ?? new Set();
    graph.set(node, targets);
    for (const { file = "" } of imports) {
      const target = file.endsWith(".ts") ? nodeOf(member, file) : undefined;
      if (target !== undefined && target !== node) targets.add(target);
    }
  }
  return graph;
}

/** Returns the node of a file, or `undefined` if the file does not belong to the member. */
export function nodeOf(member: string, path: string): string | undefined {
  if (!path.startsWith(`${member}/`)) return undefined;
  const inside = path.slice(member.length + 1);
  return inside.includes("/") ? inside.slice(0, inside.indexOf("/") + 1) : inside;
}

/** Returns the groups of nodes that import each other, directly or indirectly. */
export function findFolderCycles(graph: Graph): string[][] {
  const reached = new Map([...graph.keys()].map((node) => [node, reachableFrom(graph, node)]));
  const cycles: string[][] = [];
  for (const [node, targets] of reached) {
    if (!targets.has(node) || cycles.some((cycle) => cycle.includes(node))) continue;
    cycles.push([...targets].filter((other) => reached.get(other)?.has(node)).toSorted());
  }
  return cycles;
}

/** Returns the length of the longest import chain. The nodes of a cycle count as one node. */
export function countFloors(graph: Graph): number {
  const cycles = findFolderCycles(graph);
  const floors = new Map<string, number>();
  const floorOf = (node: string): number => {
    const known = floors.get(node);
    if (known !== undefined) return known;
    const group = cycles.find((cycle) => cycle.includes(node)) ?? [node];
    const below = group.flatMap((each) => [...graph.get(each) ?? []])
      .filter((target) => !group.includes(target));
    const floor = 1 + Math.max(0, ...below.map(floorOf));
    for (const each of group) floors.set(each, floor);
    return floor;
  };
  return Math.max(0, ...[...graph.keys()].map(floorOf));
}

function reachableFrom(graph: Graph, start: string): Set<string> {
  const found = new Set<string>(graph.get(start));
  // Iteration over a set also visits entries that are added during the loop.
  for (const node of found) for (const next of graph.get(node) ?? []) found.add(next);
  return found;
}
