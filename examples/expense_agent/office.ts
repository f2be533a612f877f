/**
 * Interfaces of the expense agent: the services it uses and its output.
 *
 * @module
 */

/** The services that the agent uses, and the person who approves its calls. */
export interface Office {
  /** Returns the price of one unit of a currency, in euros. */
  exchangeRate(currency: string): number;
  /** Books an expense and returns the id of the booking. */
  book(merchant: string, euros: number): string;
  /** Asks a person whether to execute a tool call. */
  approve(toolName: string, input: unknown): boolean | Promise<boolean>;
}

/** The agent's result. */
export interface Expense {
  /** Name of the merchant. */
  readonly merchant: string;
  /** Amount in euros. */
  readonly euros: number;
  /** Id of the booking, or `null` if the expense was not booked. */
  readonly bookingId: string | null;
}
