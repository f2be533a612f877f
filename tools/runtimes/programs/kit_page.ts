/**
 * What the kit judges in a web page: the driver of our libraries.
 *
 * @module
 */

export { drive } from "./driver_socket.ts";
