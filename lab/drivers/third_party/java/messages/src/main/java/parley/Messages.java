package parley;

import com.apicatalog.multibase.Multibase;
import com.apicatalog.multicodec.codec.KeyCodec;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;
import org.erdtman.jcs.JsonCanonicalizer;
import org.erdtman.jcs.NumberToJSON;

/** Signed messages, built from a canonicalizer, a signature library and a multibase library. */
final class Messages {
  static final List<String> OPERATIONS = List.of(
      "comm.canonicalize", "comm.did.decode", "comm.did.encode", "comm.ed25519.sign", "comm.ed25519.verify",
      "comm.message.payload", "comm.message.sign", "comm.message.verify");

  private static final List<String> SIGNED = List.of(
      "id", "correlationId", "sender", "recipient", "protocol", "messageType", "payload");
  private static final String DID_KEY = "did:key:";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HexFormat HEX = HexFormat.of();

  private Messages() {}

  static ObjectNode run(String operation, JsonNode args) throws IOException {
    return switch (operation) {
      case "comm.canonicalize" -> textAndBytes(args.has("float64Hex")
          ? NumberToJSON.serializeNumber(ByteBuffer.wrap(bytes(args, "float64Hex")).getDouble())
          : new JsonCanonicalizer(text(args, "text")).getEncodedString());
      case "comm.ed25519.sign" -> object()
          .put("publicKeyHex", HEX.formatHex(privateKey(args).generatePublicKey().getEncoded()))
          .put("signatureHex", HEX.formatHex(sign(privateKey(args), bytes(args, "messageHex"))));
      case "comm.ed25519.verify" -> object().put("valid",
          verify(bytes(args, "publicKeyHex"), bytes(args, "messageHex"), bytes(args, "signatureHex")));
      case "comm.did.encode" -> object().put("did", encodeDid(bytes(args, "publicKeyHex")));
      case "comm.did.decode" -> object().put("publicKeyHex", HEX.formatHex(decodeDid(text(args, "did")).getEncoded()));
      case "comm.message.payload" -> textAndBytes(payload(JSON.readTree(text(args, "messageText"))));
      case "comm.message.sign" -> signMessage((ObjectNode) JSON.readTree(text(args, "messageText")), privateKey(args));
      case "comm.message.verify" -> verifyMessage(JSON.readTree(text(args, "messageText")), args);
      default -> throw new UnsupportedOperationException("unknown operation " + operation);
    };
  }

  private static byte[] sign(Ed25519PrivateKeyParameters key, byte[] data) {
    var signer = new Ed25519Signer();
    signer.init(true, key);
    signer.update(data, 0, data.length);
    return signer.generateSignature();
  }

  private static boolean verify(byte[] key, byte[] data, byte[] signature) {
    try {
      return verify(new Ed25519PublicKeyParameters(key), data, signature);
    } catch (IllegalArgumentException error) {
      return false;
    }
  }

  private static boolean verify(Ed25519PublicKeyParameters key, byte[] data, byte[] signature) {
    var signer = new Ed25519Signer();
    signer.init(false, key);
    signer.update(data, 0, data.length);
    return signer.verifySignature(signature);
  }

  private static String encodeDid(byte[] key) {
    return DID_KEY + Multibase.BASE_58_BTC.encode(KeyCodec.ED25519_PUBLIC_KEY.encode(key));
  }

  private static Ed25519PublicKeyParameters decodeDid(String did) {
    if (!did.startsWith(DID_KEY)) throw new IllegalArgumentException("not a did:key");
    byte[] multikey = Multibase.BASE_58_BTC.decode(did.substring(DID_KEY.length()));
    return new Ed25519PublicKeyParameters(KeyCodec.ED25519_PUBLIC_KEY.decode(multikey));
  }

  /** Returns the canonical JSON that a signature covers. */
  private static String payload(JsonNode message) throws IOException {
    ObjectNode signed = object();
    for (String name : SIGNED) {
      boolean isPresent = name.equals("payload") ? message.has(name) : message.hasNonNull(name);
      if (isPresent) signed.set(name, message.get(name));
    }
    return new JsonCanonicalizer(JSON.writeValueAsString(signed)).getEncodedString();
  }

  private static ObjectNode signMessage(ObjectNode message, Ed25519PrivateKeyParameters key) throws IOException {
    byte[] signature = sign(key, payload(message).getBytes(StandardCharsets.UTF_8));
    message.put("signature", Base64.getUrlEncoder().withoutPadding().encodeToString(signature));
    return object().set("message", message);
  }

  private static ObjectNode verifyMessage(JsonNode message, JsonNode args) throws IOException {
    if (args.has("didDocuments")) throw new UnsupportedOperationException("a sender is a did:key");
    if (args.has("recipient") && !args.get("recipient").equals(message.get("recipient"))) {
      return invalid("recipient_mismatch");
    }
    if (!message.hasNonNull("signature")) return invalid("signature_missing");
    String sender = message.path("sender").asText();
    if (!sender.startsWith(DID_KEY)) return invalid("did_method_unsupported");
    Ed25519PublicKeyParameters key;
    try {
      key = decodeDid(sender);
    } catch (IllegalArgumentException error) {
      return invalid("did_invalid");
    }
    byte[] signature;
    try {
      signature = Base64.getUrlDecoder().decode(message.get("signature").asText());
    } catch (IllegalArgumentException error) {
      return invalid("signature_malformed");
    }
    if (!verify(key, payload(message).getBytes(StandardCharsets.UTF_8), signature)) {
      return invalid("signature_invalid");
    }
    ObjectNode verdict = object().put("valid", true).put("keyId", keyId(sender));
    SIGNED.stream().filter(message::hasNonNull).forEach(verdict.putArray("covered")::add);
    return verdict;
  }

  private static String keyId(String did) {
    return did + "#" + did.substring(DID_KEY.length());
  }

  private static ObjectNode invalid(String reason) {
    return object().put("valid", false).put("reason", reason);
  }

  private static Ed25519PrivateKeyParameters privateKey(JsonNode args) {
    return new Ed25519PrivateKeyParameters(bytes(args, "seedHex"));
  }

  private static ObjectNode textAndBytes(String text) {
    return object().put("text", text).put("utf8Hex", HEX.formatHex(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static String text(JsonNode args, String name) {
    return args.path(name).asText();
  }

  private static byte[] bytes(JsonNode args, String name) {
    return HEX.parseHex(text(args, name));
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}
