# 51200 MB for each region server: of 65536 MB the system keeps 8192 MB, others have 6144 MB; region servers 1, processors 16, tables read in-storage
# Java heap: requests, index of memstores and caches, index and Bloom blocks.
export HBASE_REGIONSERVER_OPTS="$HBASE_REGIONSERVER_OPTS -Xmx15360m"
# Direct memory: 6434 MB block cache, 8578 MB memstores, 19302 MB segment cache, 118 MB RPC buffers, 192 MB spare.
export HBASE_REGIONSERVER_OPTS="$HBASE_REGIONSERVER_OPTS -XX:MaxDirectMemorySize=34624m"
# Pauses below a millisecond whatever the heap; there are processors for it to work beside the handlers.
export HBASE_REGIONSERVER_OPTS="$HBASE_REGIONSERVER_OPTS -XX:+UseZGC"
# What a request allocates is collected without the rest.
export HBASE_REGIONSERVER_OPTS="$HBASE_REGIONSERVER_OPTS -XX:+ZGenerational"
