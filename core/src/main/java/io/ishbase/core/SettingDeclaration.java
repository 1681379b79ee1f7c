package io.ishbase.core;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a {@link Setting} is declared: a builder, which is not changed once the setting has it. */
final class SettingDeclaration {
  private static final String FIRST_VERSION = "0.1";

  private final String key;
  private final Setting.Type type;
  private final String defaultValue;
  private final String unit;
  private final List<String> choices;
  private long min;
  private long max;
  private Set<SettingScope> scopes = Set.of();
  private boolean isDynamic;
  private String since = FIRST_VERSION;
  private String description = "";

  private SettingDeclaration(
      String key, Setting.Type type, String defaultValue, String unit, List<String> choices) {
    this.key = key;
    this.type = type;
    this.defaultValue = defaultValue;
    this.unit = unit;
    this.choices = choices;
  }

  /** A number; {@code unit} may be empty. */
  static SettingDeclaration number(String key, long defaultValue, String unit) {
    return new SettingDeclaration(
        key, Setting.Type.INTEGER, Long.toString(defaultValue), unit, List.of());
  }

  static SettingDeclaration flag(String key, boolean defaultValue) {
    return new SettingDeclaration(
        key, Setting.Type.BOOLEAN, Boolean.toString(defaultValue), "", List.of());
  }

  /** One of some words; the first is the default. */
  static SettingDeclaration choice(String key, String... choices) {
    return new SettingDeclaration(key, Setting.Type.CHOICE, choices[0], "", List.of(choices));
  }

  /** Any text; {@code unit} says of what kind, or is empty. */
  static SettingDeclaration anyText(String key, String defaultValue, String unit) {
    return new SettingDeclaration(key, Setting.Type.TEXT, defaultValue, unit, List.of());
  }

  /** The bounds of a number, both included. */
  SettingDeclaration between(long least, long greatest) {
    min = least;
    max = greatest;
    return this;
  }

  SettingDeclaration of(SettingScope first, SettingScope... others) {
    scopes = Set.copyOf(EnumSet.of(first, others));
    return this;
  }

  SettingDeclaration atRunTime() {
    isDynamic = true;
    return this;
  }

  SettingDeclaration since(String version) {
    since = version;
    return this;
  }

  SettingDeclaration means(String text) {
    description = text;
    return this;
  }

  /** What a value must be that {@code value} is not; null if it is sound. */
  @Nullable String requirement(String value) {
    return switch (type) {
      case INTEGER -> isInBounds(value) ? null : "a whole number from " + min + " to " + max;
      case BOOLEAN ->
          List.of("true", "false").contains(value.toLowerCase(Locale.ROOT))
              ? null
              : "true or false";
      case CHOICE -> choices.contains(value) ? null : "one of " + String.join(" | ", choices);
      case TEXT -> null;
    };
  }

  private boolean isInBounds(String value) {
    try {
      long number = Long.parseLong(value);
      return number >= min && number <= max;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  String key() {
    return key;
  }

  Setting.Type type() {
    return type;
  }

  String defaultValue() {
    return defaultValue;
  }

  String unit() {
    return unit;
  }

  List<String> choices() {
    return choices;
  }

  Set<SettingScope> scopes() {
    return scopes;
  }

  boolean isDynamic() {
    return isDynamic;
  }

  String since() {
    return since;
  }

  String description() {
    return description;
  }
}
