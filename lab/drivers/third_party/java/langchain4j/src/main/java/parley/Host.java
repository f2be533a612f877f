package parley;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The kit's host functions. */
interface Host {
  /** Calls a host function, and returns the line with its result. */
  JsonNode call(String function, ObjectNode args) throws InterruptedException;
}
