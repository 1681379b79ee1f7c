# The site's own.
export JAVA_HOME=/usr/lib/jvm/17
#export HBASE_OFFHEAPSIZE=90G
export HBASE_HEAPSIZE=20G
export HBASE_OFFHEAPSIZE=20G
