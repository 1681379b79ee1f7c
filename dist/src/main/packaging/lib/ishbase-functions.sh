# Read by bin/issn and bin/ishbase: where the existing HBase, its configuration and Java are.

# One line that says what to do; nothing has been started.
fail() {
  echo "$name: $*" >&2
  exit 1
}

# Settings of issn-env.sh. What the environment says stands before what the file says. What is wrong with it says
# settings_fault; whoever starts something asks for that.
# What is right is heard all the same, so that "stop" and "status" look where the daemon's process is named; if that is
# what is wrong, hides_pid_dir is not empty.
settings_fault=
hides_pid_dir=
read_settings() {
  local setting given=() wrong
  local sound="^[A-Z_]+=(\"[^\"]*\"|'[^']*'|[^[:space:]\"']*)[[:space:]]*\$"
  conf=${ISSN_CONF_DIR:-$home/conf}
  for setting in HBASE_HOME HBASE_CONF_DIR HADOOP_HOME JAVA_HOME ISSN_HEAP ISSN_OPTS ISSN_CLASSPATH \
    ISSN_LIBRARY_PATH ISSN_LOG_DIR ISSN_PID_DIR ISHBASE_OPTS; do
    [ -z "${!setting+set}" ] || given+=("$setting=${!setting}")
  done
  if [ -f "$conf/issn-env.sh" ] && [ ! -r "$conf/issn-env.sh" ]; then
    settings_fault="$conf/issn-env.sh cannot be read: do it as another user"
    [ -n "${ISSN_PID_DIR+set}" ] || hides_pid_dir=yes
  elif [ -f "$conf/issn-env.sh" ]; then
    # The shell would run what follows a space, and systemd would not.
    wrong=$(grep -nvE "^[[:space:]]*(#.*)?\$|$sound" "$conf/issn-env.sh") || true
    if [ -n "$wrong" ]; then
      settings_fault="$conf/issn-env.sh, line ${wrong%%:*}: one NAME=value a line, in quotes if it has spaces"
      ! grep -qE "^[0-9]+:[^#]*ISSN_PID_DIR[[:space:]]*=" <<<"$wrong" || [ -n "${ISSN_PID_DIR+set}" ] ||
        grep -E "$sound" "$conf/issn-env.sh" | grep -q "^ISSN_PID_DIR=" || hides_pid_dir=yes
      set +u
    fi
    set -a
    eval "$(grep -E "$sound" "$conf/issn-env.sh" || true)"
    set -u +a
  elif [ -n "${ISSN_CONF_DIR:-}" ]; then
    fail "ISSN_CONF_DIR = $ISSN_CONF_DIR has no issn-env.sh"
  fi
  for setting in ${given[@]+"${given[@]}"}; do
    export "$setting"
  done
}

find_hbase() {
  local place own=${HBASE_HOME:-}
  if [ -z "${HBASE_HOME:-}" ]; then
    for place in /usr/lib/hbase /opt/hbase; do
      [ ! -d "$place/lib" ] || HBASE_HOME=$place
    done
    [ -n "${HBASE_HOME:-}" ] ||
      fail "HBASE_HOME is not set: name the directory of an HBase of the cluster's release, in the environment or in $conf/issn-env.sh"
  fi
  [ -d "$HBASE_HOME" ] || fail "HBASE_HOME = $HBASE_HOME is no directory: name that of the HBase that runs here"
  if [ -z "${HBASE_CONF_DIR:-}" ]; then
    HBASE_CONF_DIR=$HBASE_HOME/conf
    # What lies in an unpacked HBase that nobody has named is a sample for one machine.
    [ -n "$own" ] && [ -f "$HBASE_CONF_DIR/hbase-site.xml" ] || [ ! -f /etc/hbase/conf/hbase-site.xml ] ||
      HBASE_CONF_DIR=/etc/hbase/conf
  fi
  export HBASE_HOME HBASE_CONF_DIR
}

# A daemon without the cluster's configuration would register at no ZooKeeper that anybody asks.
require_configuration() {
  [ -d "$HBASE_CONF_DIR" ] ||
    fail "HBASE_CONF_DIR = $HBASE_CONF_DIR is no directory: name that of the region servers' hbase-site.xml"
  [ -r "$HBASE_CONF_DIR/hbase-site.xml" ] ||
    fail "there is no hbase-site.xml in $HBASE_CONF_DIR that can be read: HBASE_CONF_DIR names the directory of the region servers' hbase-site.xml"
}

find_java() {
  local found version
  if [ -z "${JAVA_HOME:-}" ] && [ -r "$HBASE_CONF_DIR/hbase-env.sh" ]; then
    JAVA_HOME=$(
      set +eu
      . "$HBASE_CONF_DIR/hbase-env.sh" >/dev/null 2>&1
      echo "${JAVA_HOME:-}"
    ) || JAVA_HOME=
  fi
  if [ -n "${JAVA_HOME:-}" ]; then
    [ -x "$JAVA_HOME/bin/java" ] || fail "JAVA_HOME = $JAVA_HOME has no bin/java: name the directory of a Java 17 or later"
  else
    found=$(command -v java) ||
      fail "no Java: install a Java 17 or later, or set JAVA_HOME in $conf/issn-env.sh"
    JAVA_HOME=$(dirname "$(dirname "$(readlink -f "$found")")")
  fi
  export JAVA_HOME
  java=$JAVA_HOME/bin/java
  version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = //p') || true
  java_version=${version#1.}
  [[ "$java_version" =~ ^[0-9]+$ ]] || fail "$java does not run: name another Java by JAVA_HOME"
  [ "$java_version" -ge 17 ] || fail "$java is Java $java_version, and Java 17 or later is needed: name one by JAVA_HOME"
}

# What HBase's servers run with. The shaded client's jar, which "hbase classpath" names, is not enough.
find_class_path() {
  local said version
  if [ -x "$HBASE_HOME/bin/hbase" ]; then
    said=$("$HBASE_HOME/bin/hbase" --config "$HBASE_CONF_DIR" --internal-classpath classpath 2>/dev/null) ||
      fail "$HBASE_HOME/bin/hbase --internal-classpath classpath fails: call it to see why"
    hbase_class_path=$(tail -n 1 <<<"$said")
  else
    hbase_class_path="$HBASE_HOME/lib/*:$HBASE_HOME/lib/client-facing-thirdparty/*:$HBASE_HOME/lib/jdk11/*"
  fi
  version=$(hbase_server_jar)
  version=${version##*/hbase-server-}
  version=${version%.jar}
  [ -n "$version" ] || fail "HBASE_HOME = $HBASE_HOME has no hbase-server jar: is it an HBase?"
  [[ "$version" = 2.6.[1-9]* || "$version" = 2.5.[1-9][0-9]* ]] ||
    fail "HBASE_HOME = $HBASE_HOME is HBase $version, and IS-HBase @VERSION@ is for HBase 2.5.10 and later of 2.5, and 2.6.1 and later of 2.6"
}

hbase_server_jar() {
  local entry entries
  IFS=: read -r -a entries <<<"$hbase_class_path"
  for entry in "${entries[@]}"; do
    case $entry in
      *'/*') compgen -G "${entry%'*'}hbase-server-[0-9]*.jar" || true ;;
      */hbase-server-[0-9]*.jar) echo "$entry" ;;
    esac
  done | grep -v -e '-tests\.jar$' | head -n 1 || true
}

# Those that HBase and Hadoop need, and what later Javas want to be told.
java_flags() {
  flags=($(<"$home/lib/jvm-flags"))
  if [ "$java_version" -ge 24 ]; then
    flags+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
  fi
}
