package parley.server;

import io.modelcontextprotocol.spec.McpSchema.AudioContent;
import io.modelcontextprotocol.spec.McpSchema.Content;
import io.modelcontextprotocol.spec.McpSchema.EmbeddedResource;
import io.modelcontextprotocol.spec.McpSchema.ImageContent;
import io.modelcontextprotocol.spec.McpSchema.ResourceLink;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;

/** Content of tool results and prompts. */
final class Fixtures {
  static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
  private static final String SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

  private Fixtures() {}

  static Content text(String value) {
    return TextContent.builder(value).build();
  }

  static Content image() {
    return ImageContent.builder(PIXEL, "image/png").build();
  }

  static Content audio() {
    return AudioContent.builder(SILENCE, "audio/wav").build();
  }

  static Content embedded(String uri, String value) {
    var contents = TextResourceContents.builder(uri, value).mimeType("text/plain").build();
    return EmbeddedResource.builder(contents).build();
  }

  static Content link() {
    return ResourceLink.builder().uri("test://static-text").name("Static text").build();
  }
}
