/**
 * The common form of the conversations that the APIs of model providers receive, and the rules that
 * all of these APIs share: which results belong to which calls.
 *
 * @module
 */

/** A tool call in a conversation. */
export interface ConversationCall {
  /** Id of the call, or an empty string. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** Input of the call, in the form that the API uses. */
  readonly input: unknown;
}

/** A message, or an item, of a conversation. */
export interface ConversationStep {
  /** Path of the message in the request, such as `messages[2]`. */
  readonly at: string;
  /** Calls that need a result. */
  readonly calls: readonly ConversationCall[];
  /** Ids of the calls to which the message contains a result. */
  readonly results: readonly string[];
}

/** Finds the calls without a result. */
export function findMissingResults(steps: readonly ConversationStep[]): readonly string[] {
  return pairCalls(steps).filter(({ results }) => results.length === 0)
    .map(({ call, at }) => `no result for the call "${call.id}" in ${at}`);
}

/** Finds the calls with more than one result. */
export function findRepeatedResults(steps: readonly ConversationStep[]): readonly string[] {
  return pairCalls(steps).filter(({ results }) => results.length > 1)
    .map(({ call, results }) => `${results.length} results for the call "${call.id}"`);
}

/**
 * Finds the calls whose first result does not follow the message of the call directly. Only
 * messages with results can be in between.
 */
export function findLateResults(steps: readonly ConversationStep[]): readonly string[] {
  return pairCalls(steps).flatMap(({ call, index, results: [first] }) => {
    if (first === undefined) return [];
    const between = steps.slice(index + 1, first).find(({ results }) => results.length === 0);
    return between === undefined ? [] : [`${between.at} is before the result of "${call.id}"`];
  });
}

/** Finds the results that belong to no earlier call. */
export function findUnaskedResults(steps: readonly ConversationStep[]): readonly string[] {
  return steps.flatMap(({ at, results }, index) => {
    const known = new Set(steps.slice(0, index).flatMap(({ calls }) => calls.map(({ id }) => id)));
    return results.filter((id) => !known.has(id))
      .map((id) => `${at} is a result for "${id}", which no earlier call has as its id`);
  });
}

/** Finds the ids that several calls have. */
export function findRepeatedIds(steps: readonly ConversationStep[]): readonly string[] {
  const ids = steps.flatMap(({ calls }) => calls.map(({ id }) => id));
  const repeated = new Set(ids.filter((id, index) => ids.indexOf(id) < index));
  return [...repeated].map((id) => `several calls have the id "${id}"`);
}

interface PairedCall {
  readonly call: ConversationCall;
  readonly at: string;
  /** Position of the call's message. */
  readonly index: number;
  /** Positions of the messages with results; a position occurs once for each result. */
  readonly results: readonly number[];
}

function pairCalls(steps: readonly ConversationStep[]): readonly PairedCall[] {
  return steps.flatMap(({ at, calls }, index) =>
    calls.map((call) => ({
      call,
      at,
      index,
      results: steps.flatMap(({ results }, position) =>
        position > index ? results.filter((id) => id === call.id).map(() => position) : []
      ),
    }))
  );
}
