/**
 * The driver of our libraries in a web page, for the kit.
 *
 * @module
 */

export { drive } from "./driver_socket.ts";
