#!/bin/sh
# try-package.sh PACKAGE.deb : on a bare Debian 12 or 13, as root: install it, look at everything, play, remove it.
# A container or a chroot will do; what only a running systemd can show is not shown here.
set -eu
package=$(readlink -f "$1")
examples=/usr/share/dealer-table/examples
say() { echo "== $*"; }
# Runs a program and says what it took; a bare Debian has no time.
TIMED='import resource, subprocess, sys, time
began = time.monotonic()
status = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
cpu = used.ru_utime + used.ru_stime
print(f"took {time.monotonic() - began:.1f} s, {cpu:.1f} s of processor, {used.ru_maxrss // 1024} MB at most")
sys.exit(status)'

say "install"
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq -y install "$package" mosquitto >/dev/null

say "versions"
dealer-table --version
dpkg --verify dealer-table

say "units"
systemd-analyze verify --man=no /usr/lib/systemd/system/dealer-table@.service \
    /usr/lib/systemd/system/dealer-table-board.service /usr/lib/systemd/system/dealer-table-wagering.service \
    /usr/lib/systemd/system/dealer-table-recorder.service /usr/lib/systemd/system/dealer-table-shadow@.service
for unit in dealer-table@.service dealer-table-board.service dealer-table-recorder.service dealer-table-wagering.service \
    dealer-table-shadow@.service; do
    systemd-analyze security --offline=true --threshold=20 --no-pager "/usr/lib/systemd/system/$unit" | tail -n 1
done
if udevadm verify --help >/dev/null 2>&1; then
    udevadm verify /usr/lib/udev/rules.d/70-dealer-table.rules
fi

say "examples"
for example in "$examples"/*.toml; do
    case "${example##*/}" in recorder.toml | wagering.toml) continue ;; esac
    runuser -u dealer-table -- dealer-table check-config "$example" >/dev/null
    echo "$example is right"
done

say "a first configuration, a key, a journal set aside"
dealer-table setup --list --listen-s 0
printf '[game]\nname = "baccarat"\n[devices.shoe]\ndriver = "bee-tek"\nport = "/dev/ttyS0"\n' >/tmp/answers.toml
dealer-table setup --answers /tmp/answers.toml --set table.site=north --set table.id=try --no-questions --no-doctor
dealer-table check-config /etc/dealer-table/try.toml >/dev/null 2>&1
dealer-table commission --config /etc/dealer-table/try.toml --list | tr '\n' ' '
dealer-table setup --csr --set table.site=north --set table.id=try
[ "$(stat -c %a /etc/credstore/dealer-table-try.mqtt-key)" = 600 ]
rm /etc/dealer-table/*try* /etc/credstore/dealer-table-try.mqtt-key /tmp/answers.toml

say "rounds under the service's user"
for game in 2-card-action two-cards-high baccarat casino-holdem; do
    (cd /var/lib/dealer-table && runuser -u dealer-table -- env HOME=/nonexistent \
        python3 -c "$TIMED" dealer-table demo --game "$game" --rounds 3 --pace-s 0 | tail -n 2)
done

say "doctor (nothing is plugged in here: faults are right)"
(cd /var/lib/dealer-table && runuser -u dealer-table -- python3 -c "$TIMED" \
    dealer-table doctor --config "$examples/baccarat.toml" || true)

say "a daemon under the service's user and its restrictions"
cd /var/lib/dealer-table
sed -e 's|/var/lib/dealer-table/7.db|/var/lib/dealer-table/try.db|' "$examples/baccarat.toml" >/etc/dealer-table/try.toml
setpriv --reuid=dealer-table --regid=dealer-table --init-groups --no-new-privs --bounding-set=-all \
    --inh-caps=-all dealer-table run --config /etc/dealer-table/try.toml 2>try.log &
daemon=$!
for _ in $(seq 100); do
    grep -q "table ready" try.log && break
    sleep 0.2
done
grep "table ready" try.log
kill "$daemon"
wait "$daemon"
runuser -u dealer-table -- dealer-table verify try.db
rm /etc/dealer-table/try.toml try.log

if [ "$(dpkg --print-architecture)" = arm64 ]; then
    say "pins"
    if (cd /tmp && /opt/dealer-table/bin/python3 -I -c "import lgpio"); then
        echo "lgpio is there"
    else
        # Plain Debian 13 has no python3-lgpio; Raspberry Pi OS has.
        [ -d /usr/lib/python3.13 ]
        dealer-table safe-outputs --config "$examples/two-cards-high.toml" 2>&1 | grep "no usable GPIO chip"
    fi
fi

say "remove, and purge: the journal stays"
apt-get -qq -y purge dealer-table >/dev/null
[ -s /var/lib/dealer-table/try.db ]
[ ! -e /opt/dealer-table ]
say "done"
