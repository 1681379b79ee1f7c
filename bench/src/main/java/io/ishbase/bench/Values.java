package io.ishbase.bench;

import java.util.Locale;
import java.util.SplittableRandom;

/**
 * What the values of a table are like. Each follows from its row and column, so that every read can
 * be checked; all are ASCII. How far they can be compressed depends on the codec and on what lies
 * beside them: a table of {@link #JSON} shrinks about as much as tables of records do.
 */
public enum Values {
  /**
   * YCSB's own, {@code dataintegrity}: decimal digits of hashes, which no codec shrinks by much.
   */
  YCSB {
    @Override
    public String of(String key, String column, int bytes) {
      StringBuilder value = new StringBuilder(bytes + 16).append(key).append(':').append(column);
      while (value.length() < bytes) {
        value.append(':').append(value.toString().hashCode());
      }
      return cut(value, bytes);
    }
  },

  /** Records of a few kinds of fields, as applications keep of people and orders. */
  JSON {
    @Override
    public String of(String key, String column, int bytes) {
      SplittableRandom random = random(key, column);
      StringBuilder value = new StringBuilder(bytes + 128).append("{\"id\":\"").append(key);
      value.append("\",\"");
      while (value.length() < bytes) {
        value
            .append("name\":\"")
            .append(one(NAMES, random))
            .append(' ')
            .append(one(SURNAMES, random))
            .append("\",\"city\":\"")
            .append(one(CITIES, random))
            .append("\",\"status\":\"")
            .append(one(STATES, random))
            .append("\",\"since\":\"")
            .append(date(random))
            .append("\",\"amount\":")
            .append(random.nextInt(100_000) / 100.0)
            .append(",\"order\":\"")
            .append(Integer.toHexString(random.nextInt()))
            .append("\"},{\"");
      }
      return cut(value, bytes);
    }
  },

  /** Lines of a web server's log. */
  LOG {
    @Override
    public String of(String key, String column, int bytes) {
      SplittableRandom random = random(key, column);
      StringBuilder value = new StringBuilder(bytes + 128);
      while (value.length() < bytes) {
        value
            .append("10.0.")
            .append(random.nextInt(8))
            .append('.')
            .append(random.nextInt(256))
            .append(" - - [")
            .append(date(random))
            .append("] \"GET /")
            .append(one(CITIES, random).toLowerCase(Locale.ROOT))
            .append('/')
            .append(random.nextInt(10_000))
            .append(" HTTP/1.1\" 200 ")
            .append(random.nextInt(50_000))
            .append(" \"Mozilla/5.0 (X11; Linux x86_64)\"\n");
      }
      return cut(value, bytes);
    }
  },

  /** Numbers that change little from one to the next, as a monitor writes them. */
  METRICS {
    @Override
    public String of(String key, String column, int bytes) {
      SplittableRandom random = random(key, column);
      StringBuilder value = new StringBuilder(bytes + 32);
      int level = random.nextInt(1000, 2000);
      while (value.length() < bytes) {
        level += random.nextInt(-3, 4);
        value.append(level / 10).append('.').append(level % 10).append(' ');
      }
      return cut(value, bytes);
    }
  };

  private static final String[] NAMES = {
    "Ada", "Ben", "Carla", "David", "Elena", "Felix", "Grace", "Hugo", "Ines", "Jonas", "Kira",
    "Leon", "Maria", "Nina", "Oscar", "Petra", "Quentin", "Rosa", "Samir", "Tara", "Uma", "Victor"
  };

  private static final String[] SURNAMES = {
    "Abel", "Berger", "Castro", "Dupont", "Eriksen", "Fischer", "Garcia", "Haddad", "Ivanov",
    "Jensen", "Kowalski", "Lindgren", "Moreau", "Nakamura", "Okafor", "Petrov", "Rossi", "Silva",
    "Tanaka", "Ueda", "Vargas", "Weber", "Young", "Zhang"
  };

  private static final String[] CITIES = {
    "Athens",
    "Bergen",
    "Cairo",
    "Dakar",
    "Edinburgh",
    "Florence",
    "Geneva",
    "Hanoi",
    "Izmir",
    "Jakarta",
    "Kyoto",
    "Lisbon",
    "Madrid",
    "Nairobi",
    "Oslo",
    "Porto",
    "Quito",
    "Riga",
    "Seoul"
  };

  private static final String[] STATES = {"active", "pending", "closed", "suspended", "new"};

  private static final int DAYS_OF_ALL_MONTHS = 28;

  /**
   * The value of a column in a row.
   *
   * @param bytes its length
   */
  public abstract String of(String key, String column, int bytes);

  private static SplittableRandom random(String key, String column) {
    return new SplittableRandom(31L * key.hashCode() + column.hashCode());
  }

  private static String one(String[] words, SplittableRandom random) {
    return words[random.nextInt(words.length)];
  }

  private static String date(SplittableRandom random) {
    int month = 1 + random.nextInt(12);
    int day = 1 + random.nextInt(DAYS_OF_ALL_MONTHS);
    return "202"
        + random.nextInt(6)
        + (month < 10 ? "-0" : "-")
        + month
        + (day < 10 ? "-0" : "-")
        + day;
  }

  private static String cut(StringBuilder value, int bytes) {
    value.setLength(bytes);
    return value.toString();
  }
}
