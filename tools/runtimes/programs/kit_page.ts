/**
 * The kit's driver for our libraries in a web page.
 *
 * @module
 */

export { drive } from "./driver_socket.ts";
