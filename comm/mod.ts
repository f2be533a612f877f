/** comm @module */
export {};
