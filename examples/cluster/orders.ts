/**
 * The orders of the example: their items, and the correct response to each order.
 *
 * @module
 */

/** An item of an order. */
export interface OrderItem {
  readonly item: string;
  readonly quantity: number;
}

/** Price of each item in the warehouse. */
export const PRICES: ReadonlyMap<string, number> = new Map([
  ["chair", 45],
  ["cup", 7],
  ["desk", 180],
  ["lamp", 32],
  ["shelf", 96],
]);

/** Number of distinct items in an order. */
export const ITEMS_PER_ORDER = 3;

/** Returns the items of the order with the given number. */
export function itemsOf(order: number): readonly OrderItem[] {
  const names = [...PRICES.keys()];
  return Array.from({ length: ITEMS_PER_ORDER }, (_, index) => ({
    item: names[(order + index) % names.length] ?? "",
    quantity: 1 + (order * (index + 2)) % 9,
  }));
}

/** Returns the agent's task for an order. */
export function taskOf(order: number): string {
  const items = itemsOf(order).map(({ item, quantity }) => `${quantity} x ${item}`);
  return `Order ${order}: ${items.join(", ")}`;
}

/** Returns the correct response to an order. */
export function responseTo(order: number): string {
  const prices = itemsOf(order).map(({ item, quantity }) => quantity * (PRICES.get(item) ?? 0));
  const total = prices.reduce((sum, price) => sum + price, 0);
  return `Order ${order} is reserved and costs ${total} euros.`;
}
