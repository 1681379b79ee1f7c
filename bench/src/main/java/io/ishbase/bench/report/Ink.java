package io.ishbase.bench.report;

/**
 * How a series looks. Series differ in lightness, dash, marker and hatching too, so that they are
 * told apart in grey; the hues are those of Okabe and Ito, which the colour-blind tell apart.
 */
enum Ink {
  FIRST("#111111", "", "circle", 0),
  SECOND("#0072b2", "7 3", "square", 45),
  THIRD("#d55e00", "2 3", "triangle", 90),
  FOURTH("#009e73", "9 3 2 3", "diamond", 135),
  FIFTH("#cc79a7", "12 4", "circle", 0),
  SIXTH("#56b4e9", "4 2 1 2 1 2", "square", 90);

  final String colour;
  final String dash;
  private final String marker;
  private final int hatching;

  Ink(String colour, String dash, String marker, int hatching) {
    this.colour = colour;
    this.dash = dash;
    this.marker = marker;
    this.hatching = hatching;
  }

  static Ink of(int series) {
    return values()[series % values().length];
  }

  /** A marker around a point; even series are filled. */
  String marker(double x, double y) {
    String style =
        String.format(
            "fill=\"%s\" stroke=\"%s\" stroke-width=\"1.5\"",
            ordinal() % 2 == 0 ? colour : "#fff", colour);
    return switch (marker) {
      case "square" ->
          Svg.format(
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\" %s/>", x - 4, y - 4, style);
      case "triangle" -> Svg.format("<path d=\"M%.1f %.1fl5 9h-10z\" %s/>", x, y - 5, style);
      case "diamond" -> Svg.format("<path d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\" %s/>", x, y - 5, style);
      default -> Svg.format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" %s/>", x, y, style);
    };
  }

  /** The id of its hatching in the plot {@code prefix}. */
  String fill(String prefix) {
    return "url(#" + prefix + ordinal() + ")";
  }

  /** The definition of its hatching: the first solid and light, the others striped. */
  String definition(String prefix) {
    return ordinal() == 0
        ? Svg.format(
            "<pattern id=\"%s0\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">"
                + "<rect width=\"4\" height=\"4\" fill=\"#ddd\"/></pattern>",
            prefix)
        : Svg.format(
            "<pattern id=\"%s%d\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\""
                + " patternTransform=\"rotate(%d)\"><rect width=\"6\" height=\"6\" fill=\"#fff\"/>"
                + "<rect width=\"%d\" height=\"6\" fill=\"%s\"/></pattern>",
            prefix, ordinal(), hatching, ordinal() % 2 == 1 ? 4 : 2, colour);
  }
}
