package parley;

/** The library reports a documented error. */
final class Rejected extends RuntimeException {
  final String code;

  Rejected(String code, Throwable cause) {
    super(cause.getMessage(), cause);
    this.code = code;
  }
}
