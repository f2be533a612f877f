/**
 * Sends values one at a time.
 *
 * @module
 */

/**
 * Returns a function that sends values to a receiver that may be slower than the sender. One value
 * is sent at a time. While it is being sent, only the newest of the following values is kept.
 *
 * @param send Sends a value.
 * @param onError Called with the error of a value that was not sent. The next value is sent anyway.
 */
export function sendNewest<Value>(
  send: (value: Value) => Promise<void>,
  onError: (error: unknown) => void,
): (value: Value) => void {
  let waiting: { readonly value: Value } | undefined;
  let isSending = false;
  const sendAll = async (): Promise<void> => {
    isSending = true;
    try {
      for (let next = waiting; next !== undefined; next = waiting) {
        waiting = undefined;
        await Promise.resolve(next.value).then(send).catch(onError);
      }
    } finally {
      isSending = false;
    }
  };
  return (value) => {
    waiting = { value };
    if (!isSending) void sendAll();
  };
}
