/**
 * The part of the driver skeleton in Java that reads and writes JSON, because Java's standard
 * library cannot.
 *
 * @module
 */

/** Java class that reads and writes JSON. */
export const JAVA_JSON: string = String.raw`
    /** Reads one line of JSON. Objects become maps, arrays become lists, and numbers keep all their digits. */
    static class Json {
        private final String line;
        private int at = 0;

        Json(String line) {
            this.line = line;
        }

        Object read() {
            Object value = readValue();
            skipSpace();
            if (at < line.length()) throw fault();
            return value;
        }

        private Object readValue() {
            skipSpace();
            return switch (at < line.length() ? line.charAt(at) : ' ') {
                case '{' -> readObject();
                case '[' -> readList();
                case '"' -> readText();
                case 't' -> readWord("true", true);
                case 'f' -> readWord("false", false);
                case 'n' -> readWord("null", null);
                default -> readNumber();
            };
        }

        private Map<String, Object> readObject() {
            Map<String, Object> members = new LinkedHashMap<>();
            at++;
            if (take('}')) return members;
            do {
                skipSpace();
                String name = readText();
                if (!take(':')) throw fault();
                members.put(name, readValue());
            } while (take(','));
            if (!take('}')) throw fault();
            return members;
        }

        private List<Object> readList() {
            List<Object> items = new ArrayList<>();
            at++;
            if (take(']')) return items;
            do items.add(readValue()); while (take(','));
            if (!take(']')) throw fault();
            return items;
        }

        private String readText() {
            if (at >= line.length() || line.charAt(at) != '"') throw fault();
            StringBuilder text = new StringBuilder();
            for (at++; at < line.length() && line.charAt(at) != '"'; at++) {
                text.append(line.charAt(at) == '\\' ? readEscape() : line.charAt(at));
            }
            if (at++ >= line.length()) throw fault();
            return text.toString();
        }

        private char readEscape() {
            char kind = line.charAt(++at);
            int found = "bfnrt".indexOf(kind);
            if (found >= 0) return "\b\f\n\r\t".charAt(found);
            if (kind != 'u') return kind;
            at += 4;
            return (char) Integer.parseInt(line.substring(at - 3, at + 1), 16);
        }

        private Object readWord(String word, Object value) {
            if (!line.startsWith(word, at)) throw fault();
            at += word.length();
            return value;
        }

        private BigDecimal readNumber() {
            int start = at;
            while (at < line.length() && "+-.eE0123456789".indexOf(line.charAt(at)) >= 0) at++;
            return new BigDecimal(line.substring(start, at));
        }

        private boolean take(char sign) {
            skipSpace();
            boolean found = at < line.length() && line.charAt(at) == sign;
            if (found) at++;
            return found;
        }

        private void skipSpace() {
            while (at < line.length() && " \t\r\n".indexOf(line.charAt(at)) >= 0) at++;
        }

        private IllegalArgumentException fault() {
            return new IllegalArgumentException("not JSON at position " + at);
        }

        static String write(Object value) {
            StringBuilder out = new StringBuilder();
            write(value, out);
            return out.toString();
        }

        private static void write(Object value, StringBuilder out) {
            if (value instanceof Map<?, ?> members) {
                String sign = "{";
                for (Map.Entry<?, ?> member : members.entrySet()) {
                    out.append(sign);
                    writeText(String.valueOf(member.getKey()), out);
                    out.append(':');
                    write(member.getValue(), out);
                    sign = ",";
                }
                out.append(members.isEmpty() ? "{}" : "}");
            } else if (value instanceof Collection<?> items) {
                String sign = "[";
                for (Object item : items) {
                    out.append(sign);
                    write(item, out);
                    sign = ",";
                }
                out.append(items.isEmpty() ? "[]" : "]");
            } else if (value instanceof CharSequence text) {
                writeText(text.toString(), out);
            } else {
                out.append(value);
            }
        }

        private static void writeText(String text, StringBuilder out) {
            out.append('"');
            for (char unit : text.toCharArray()) {
                if (unit == '"' || unit == '\\') out.append('\\').append(unit);
                else if (unit < ' ' || Character.isSurrogate(unit)) out.append(String.format("\\u%04x", (int) unit));
                else out.append(unit);
            }
            out.append('"');
        }
    }
`;
