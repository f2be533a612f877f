package parley;

/** The library does not have a feature. */
final class Unsupported extends RuntimeException {
  Unsupported(String reason) {
    super(reason);
  }
}
