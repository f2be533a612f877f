/**
 * Jobs of several parties that take turns.
 *
 * @module
 */

import { Fifo } from "@parley/internal/fifo";

/** A job that belongs to a party and is executed by an agent. */
export interface PartyJob {
  readonly run: { readonly party?: string };
}

/**
 * Jobs that can be delivered. Each party has a turn, however many jobs the other parties have. The
 * jobs of a party for different agents take turns, too. The other jobs are taken in the order in
 * which they were added. The jobs of the program itself count as those of one party.
 */
export class ReadyJobs<Job extends PartyJob> {
  /** Jobs, keyed by party and agent. The party and the agent whose turn is next are first. */
  readonly #jobs: Map<string | undefined, Map<string, Fifo<Job>>> = new Map();

  /** Adds a job for an agent. */
  add(agent: string, job: Job): void {
    const { party } = job.run;
    const agents = this.#jobs.get(party) ?? new Map<string, Fifo<Job>>();
    const jobs = agents.get(agent) ?? new Fifo<Job>();
    jobs.push(job);
    agents.set(agent, jobs);
    this.#jobs.set(party, agents);
  }

  /** Removes and returns the next job for one of the agents. */
  take(served: ReadonlySet<string>): Job | undefined {
    for (const [party, agents] of this.#jobs) {
      for (const [agent, jobs] of agents) {
        if (!served.has(agent)) continue;
        const job = jobs.shift();
        agents.delete(agent);
        if (jobs.size > 0) agents.set(agent, jobs);
        this.#jobs.delete(party);
        if (agents.size > 0) this.#jobs.set(party, agents);
        return job;
      }
    }
    return undefined;
  }

  /** Removes and returns the jobs that match a condition. */
  remove(isRemoved: (job: Job) => boolean): readonly Job[] {
    const removed: Job[] = [];
    const kept: (readonly [agent: string, job: Job])[] = [];
    for (const agents of this.#jobs.values()) {
      for (const [agent, jobs] of agents) {
        for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
          if (isRemoved(job)) removed.push(job);
          else kept.push([agent, job]);
        }
      }
    }
    this.#jobs.clear();
    for (const [agent, job] of kept) this.add(agent, job);
    return removed;
  }
}
