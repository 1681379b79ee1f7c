# Settings of bin/issn and bin/ishbase.
# One NAME=value a line and nothing else, in quotes if it has spaces: the shell and systemd both read this file, and
# systemd expands nothing.
# What the environment of bin/issn says stands before it.

# The HBase that runs on this machine: its jars are used. Unless set: /opt/hbase or /usr/lib/hbase.
#HBASE_HOME=/opt/hbase

# The directory of the region servers' hbase-site.xml, core-site.xml and hdfs-site.xml.
# Unless set: conf in the HBASE_HOME above, or /etc/hbase/conf, or conf where HBase was found.
#HBASE_CONF_DIR=/etc/hbase/conf

# A Java 17 or later. Unless set: the one that hbase-env.sh names, or java of the PATH.
#JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64

# Java heap of the daemon.
#ISSN_HEAP=1g

# More flags for the daemon's JVM, for example -Djava.security.auth.login.config=FILE.
#ISSN_OPTS="-Dfirst=1 -Dsecond=2"

# Jars of filters and codecs that the daemon is to run, as a Java class path.
#ISSN_CLASSPATH=

# Hadoop's native libraries, for HDFS's short-circuit reads and its own codecs. Unless set: lib/native in HADOOP_HOME.
#ISSN_LIBRARY_PATH=/opt/hadoop/lib/native
