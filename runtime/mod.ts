/** runtime @module */
export {};
