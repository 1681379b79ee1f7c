# Installs, uses, removes and purges the Debian package, in a root of its own above this machine's: all that is written
# goes to memory and is gone with the namespaces that this runs in, and so is what it starts.
# Arguments: an empty directory, the package, a stock HBase, the cluster's configuration, Java's home.
set -eu
work=$1 package=$2 hbase=$3 conf=$4 java_home=$5
mount -t tmpfs tmpfs "$work"
mkdir "$work/written" "$work/scratch" "$work/root"
root=$work/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/written,workdir=$work/scratch" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
chmod 1777 "$root/tmp"
mkdir -p "$root/opt" "$root/etc/hbase"
cp -rL "$hbase" "$root/opt/hbase"
cp -r "$conf" "$root/etc/hbase/conf"
chmod -R a+rX "$root/opt/hbase" "$root/etc/hbase"
cp "$package" "$root/tmp/"

within() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}

within apt-get install -q -y "/tmp/$(basename "$package")"
within sh -c 'cd / && md5sum --quiet -c /var/lib/dpkg/info/ishbase-issn.md5sums'
if within sh -c 'command -v systemd-analyze' >/dev/null; then
  within systemd-analyze verify /usr/lib/systemd/system/ishbase-issn.service
  echo "unit verified"
else
  echo "unit not verified: no systemd-analyze here"
fi
echo "JAVA_HOME=$java_home" >>"$root/etc/ishbase/issn-env.sh"
if within issn start --daemon; then
  echo "root writes to directories of another user"
  exit 1
fi
within runuser -u hbase -- issn start --daemon
within runuser -u hbase -- issn status
within test -s /var/log/ishbase/issn.log
within issn stop
within runuser -u hbase -- issn start --daemon
# The package ends what it started.
within apt-get remove -q -y ishbase-issn
[ -z "$(find "$root/usr" -ipath '*ishbase*' -print -quit)" ] || { echo "removed, but not all of it"; exit 1; }
within test -s /etc/ishbase/issn-env.sh
within apt-get purge -q -y ishbase-issn
left=$(find "$root/etc" "$root/usr" "$root/var" "$root/run" -iname '*ishbase*' -o -iname '*issn*')
[ -z "$left" ] || { echo "purged, but there is $left"; exit 1; }
if within pgrep -u hbase -f io.ishbase.daemon.Issn; then
  echo "purged, but it runs"
  exit 1
fi
# The group of the name may be there without the user.
within userdel hbase
within sh -c 'getent group hbase || groupadd --system hbase' >/dev/null
within apt-get install -q -y "/tmp/$(basename "$package")"
within apt-get purge -q -y ishbase-issn
echo "purged"
