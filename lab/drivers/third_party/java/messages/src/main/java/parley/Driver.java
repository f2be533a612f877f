package parley;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Runs the operations of {@link Messages} for the kit: one JSON object per line on standard input and output. */
public final class Driver {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private Driver() {}

  public static void main(String[] arguments) throws IOException {
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      JsonNode message = JSON.readTree(line);
      switch (message.path("type").asText()) {
        case "hello" -> write(hello());
        case "op" -> write(run(message));
        case "bye" -> System.exit(0);
        default -> { }
      }
    }
  }

  private static ObjectNode hello() {
    ObjectNode hello = JSON.createObjectNode().put("type", "hello").put("protocol", 1);
    hello.putObject("implementation")
        .put("name", "java-json-canonicalization + bouncycastle + copper")
        .put("version", "1.1, 1.87, 4.1.0")
        .put("language", "java");
    Messages.OPERATIONS.forEach(hello.putArray("ops")::add);
    return hello;
  }

  private static ObjectNode run(JsonNode message) {
    ObjectNode result = JSON.createObjectNode().put("type", "result").put("seq", message.path("seq").asLong());
    try {
      result.set("ok", Messages.run(message.path("op").asText(), message.path("args")));
    } catch (UnsupportedOperationException error) {
      result.putObject("unsupported").put("reason", error.getMessage());
    } catch (IOException | IllegalArgumentException error) {
      result.putObject("error").put("code", "invalid_argument").put("message", String.valueOf(error.getMessage()));
    } catch (RuntimeException | StackOverflowError error) {
      result.putObject("fault").put("message", error.toString());
    }
    return result;
  }

  private static void write(ObjectNode message) {
    OUT.println(message);
  }
}
