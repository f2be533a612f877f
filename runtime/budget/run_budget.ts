/**
 * The budgets of one run: its own, and those of the runs whose tools have started it.
 *
 * @module
 */

import { joinSignals } from "../shared/platform.ts";
import { Account, type ModelUsages } from "./account.ts";
import type { BudgetParts, OpenBudget } from "./budget.ts";
import type { BudgetUse, LimitName } from "./limits.ts";
import type { BudgetedCall, Reservation, StoredAccount } from "./stored_account.ts";

/** Amounts that the sub-agents of a recorded tool call have used. */
export type RecordedUse = Pick<BudgetUse, "modelCalls" | "toolCalls" | "usageByModel">;

/** A limit that is used up. */
export interface UsedUp {
  readonly name: `budget.${LimitName}`;
  /** Whether the limit belongs to the run and not to a run whose tool has started it. */
  readonly isOwn: boolean;
}

/** Accounts that the runs which a tool starts inherit. */
export interface InheritedBudget {
  readonly accounts: readonly Account[];
  readonly stored: readonly StoredAccount[];
}

/** Error of a model call that is not made, because a limit is used up. */
export class BudgetUsedUp extends Error {
  /** The limit. */
  readonly limit: UsedUp;

  constructor(limit: UsedUp) {
    super(`"${limit.name}" is used up`);
    this.limit = limit;
  }
}

/** The budgets of a run. */
export class RunBudget {
  /** Accounts to charge, those of the run first. No account occurs twice. */
  readonly #accounts: readonly Account[];
  readonly #stored: readonly StoredAccount[];
  readonly #inherited: InheritedBudget | undefined;
  #leave: (() => void)[] = [];

  constructor(own: readonly BudgetParts[], inherited: InheritedBudget | undefined) {
    const stored = own.flatMap((parts) => parts.stored ?? []);
    this.#accounts = distinct(own.map(({ account }) => account), inherited?.accounts);
    this.#stored = distinct(stored, inherited?.stored);
    this.#inherited = inherited;
  }

  /** A limit that has no effect if a model does not report its usage, for an error message. */
  get usageLimit(): string | undefined {
    const names = this.#accounts.flatMap(({ limits }) => [
      ...limits.maxTokens === undefined ? [] : ["maxTokens"],
      ...limits.maxCost === undefined ? [] : ["maxCost"],
    ]);
    return names[0] && `limit "budget.${names[0]}"`;
  }

  /** Returns a signal that is aborted with the run or when the time of a budget is used up. */
  joinTo(signal: AbortSignal | undefined): AbortSignal | undefined {
    return this.#accounts.reduce(
      (joined, account) => account.signal ? joinSignals(account.signal, joined) : joined,
      signal,
    );
  }

  /** Starts the clocks of the budgets. */
  enter(): void {
    this.#leave = this.#accounts.map((account) => account.enter());
  }

  /** Stops the clocks of the budgets that no other run uses. */
  leave(): void {
    for (const leave of this.#leave.splice(0)) leave();
  }

  /**
   * Returns the time limit that has aborted a run. `undefined` if the run has another reason to
   * end.
   */
  findTimeout(reason: unknown): UsedUp | undefined {
    const account = this.#accounts.find(({ signal }) =>
      signal?.aborted && signal.reason === reason
    );
    return account && this.#toUsedUp(account, "maxDurationMs");
  }

  /**
   * Returns a limit that is used up.
   *
   * @param isLast Whether the run makes its last model call, which its own limits do not prevent.
   * @throws The error of a model without a price.
   */
  findUsedUp(isLast: boolean): UsedUp | undefined {
    this.assertPriced();
    for (const account of this.#accounts) {
      const name = account.exceeded;
      if (name === undefined) continue;
      const usedUp = this.#toUsedUp(account, name);
      if (!usedUp.isOwn || !isLast) return usedUp;
    }
    return undefined;
  }

  /**
   * Executes a model call and charges the budgets in stores. The caller charges the budgets in
   * memory, because a replayed call also counts there.
   *
   * @param usagesIn Returns the usage in a response.
   * @throws {BudgetUsedUp} If a limit is used up.
   */
  async callModel<Response>(
    call: BudgetedCall,
    execute: () => Promise<Response>,
    usagesIn: (response: Response) => ModelUsages,
  ): Promise<Response> {
    const usedUp = this.findUsedUp(call.isLast);
    if (usedUp !== undefined) throw new BudgetUsedUp(usedUp);
    // Concurrent runs must not pass the check before the call is counted.
    this.countModelCall();
    const reservations = await this.#reserve(call);
    let response: Response;
    try {
      response = await execute();
    } catch (error) {
      // The provider may charge for a call that was aborted, so its reservations count in full.
      if (!call.isAborted()) await settleFailure(reservations, call.usagesOfFailure());
      throw error;
    }
    const usages = usagesIn(response);
    for (const reservation of reservations) await reservation.settle(usages);
    return response;
  }

  /** Counts a model call. A call that was read from a journal also counts. */
  countModelCall(count = 1): void {
    for (const account of this.#accounts) account.countModelCall(count);
  }

  /**
   * Adds the usage of models.
   *
   * @throws The error of a model without a price.
   */
  charge(usages: ModelUsages): void {
    for (const account of this.#accounts) account.charge(usages);
    this.assertPriced();
  }

  /** Counts a tool call. Returns false if the call must not be executed. */
  takeToolCall(): boolean {
    if (this.#accounts.some((account) => account.failure !== undefined || !account.mayCallTool)) {
      return false;
    }
    this.countToolCall();
    return true;
  }

  /** Counts a tool call that has been executed. */
  countToolCall(): void {
    for (const account of this.#accounts) account.countToolCall();
  }

  /**
   * Adds what the sub-agents of a recorded tool call have used. If a model has no price, the next
   * model call fails.
   */
  replayDelegation({ modelCalls, toolCalls, usageByModel }: RecordedUse): void {
    for (const account of this.#accounts) {
      account.countModelCall(modelCalls);
      account.countToolCall(toolCalls);
    }
    for (const account of this.#accounts) account.charge(Object.entries(usageByModel));
  }

  /** Returns the budgets for the sub-agents of a tool call, whose use is also added to `tally`. */
  inheritWith(tally: Account): InheritedBudget {
    return { accounts: [tally, ...this.#accounts], stored: this.#stored };
  }

  /**
   * Rejects if the cost of a budget is not known.
   *
   * @throws The error of a model without a price.
   */
  assertPriced(): void {
    const failed = this.#accounts.find(({ failure }) => failure !== undefined);
    if (failed !== undefined) throw failed.failure;
  }

  async #reserve(call: BudgetedCall): Promise<readonly Reservation[]> {
    const reservations: Reservation[] = [];
    for (const stored of this.#stored) {
      const isOwn = !this.#inherited?.stored.includes(stored);
      const reserved = await stored.reserve({ ...call, isLast: call.isLast && isOwn });
      if (typeof reserved === "object") reservations.push(reserved);
      else {
        this.countModelCall(-1);
        await settleFailure(reservations, []);
        throw new BudgetUsedUp({ name: `budget.${reserved}`, isOwn });
      }
    }
    return reservations;
  }

  #toUsedUp(account: Account, name: LimitName): UsedUp {
    const isOwn = !this.#inherited?.accounts.includes(account);
    return { name: `budget.${name}`, isOwn };
  }
}

/** Returns the budgets of a run, or `undefined` if no budget applies. */
export function openRunBudget(
  own: readonly (OpenBudget | undefined)[],
  inherited: InheritedBudget | undefined,
): RunBudget | undefined {
  const parts = own.flatMap((open) => open === undefined ? [] : [open()]);
  return parts.length === 0 && inherited === undefined
    ? undefined
    : new RunBudget(parts, inherited);
}

/** Returns the amounts of an account that are recorded with a tool call. */
export function toRecordedUse({ use }: Account): RecordedUse {
  const { modelCalls, toolCalls, usageByModel } = use;
  return { modelCalls, toolCalls, usageByModel };
}

/** Creates an account that adds up what the sub-agents of a tool call use. */
export function createTally(): Account {
  return new Account({});
}

/** Settles the reservations of a call that has failed. A reservation that is not settled counts. */
async function settleFailure(
  reservations: readonly Reservation[],
  usages: ModelUsages,
): Promise<void> {
  const settling = reservations.map((reservation) =>
    usages.length === 0 ? reservation.release() : reservation.settle(usages)
  );
  await Promise.allSettled(settling);
}

function distinct<Item>(own: readonly Item[], inherited: readonly Item[] = []): readonly Item[] {
  return [...new Set([...own, ...inherited])];
}
