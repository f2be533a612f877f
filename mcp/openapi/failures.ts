/**
 * Errors that end the conversion of an operation, or a call before its request is sent.
 *
 * @module
 */

/** An operation that cannot be a tool. The message is the reason. */
export class UnsupportedOperation extends Error {
  override readonly name = "UnsupportedOperation";
}

/** Arguments with which no request can be built. The message is for the model. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}
