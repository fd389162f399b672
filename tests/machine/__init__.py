"""A machine of its own for the package: a kernel, systemd, a disk, pins and USB plugs, all in qemu."""
