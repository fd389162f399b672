"""check_certificate.py FILE [--key KEY] [--compare FILE]: is a certificate of `dealer-table certify` what its
table signed, and what does it say that another one does not?

For a laboratory: Python 3.9 or newer and nothing else. KEY is the table's public key as the house has
approved it (43 characters, from its manifest). Exit status 0: signed, passed, and nothing differs; 1: not so;
2: a wrong call.
"""

import argparse
import base64
import hashlib
import json
import sys

# Ed25519 as RFC 8032 writes it, sections 5.1 and 6. Who verifies knows no secret: it may take its time.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(a, b):
    """The sum of two points in extended coordinates."""
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    w, x, y, z = f - e, h - g, h + g, f + e
    return w * x % P, y * z % P, x * y % P, w * z % P


def times(number, point):
    """So many times a point."""
    total = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = add(total, point)
        point, number = add(point, point), number >> 1
    return total


def point_of(encoded):
    """The point of 32 bytes; None where there is none."""
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def signed(public, message, signature):
    """Whether 64 bytes are the signature of the owner of a public key of 32 bytes."""
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r, s = point_of(public), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    left, right = times(s, BASE), add(r, times(h, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (
        left[1] * right[2] - right[1] * left[2]
    ) % P == 0


def read(name):
    """The report of a file and the key that signed it; a ValueError says what is wrong."""
    with open(name, "rb") as file:
        lines = file.read().split(b"\n")
    if len(lines) != 3 or lines[2]:
        raise ValueError("a certificate is two lines")
    report, seal = json.loads(lines[0]), json.loads(lines[1])
    if not isinstance(report, dict) or report.get("kind") != "dealer-table-certificate-1":
        raise ValueError("this is another kind of file")
    public = base64.urlsafe_b64decode(seal["key"] + "=")
    signature = base64.urlsafe_b64decode(seal["signature"] + "==")
    if hashlib.sha256(public).hexdigest()[:16] != seal["keyid"]:
        raise ValueError("the key does not have the name that stands beside it")
    if not signed(public, hashlib.sha256(lines[0]).digest(), signature):
        raise ValueError("the signature is not of this report: it was changed or made up")
    return report, seal["key"]


def differences(one, other):
    """What two certificates of units of the same kind should say alike and do not, a line each."""
    for part in ("identity", "alike"):
        for name in sorted({*one[part], *other[part]} - {"table"}):
            if one[part].get(name) != other[part].get(name):
                here, there = (report[part].get(name, "nothing") for report in (one, other))
                yield f"{part}, {name}: {here} here, {there} there"


def main():
    """Check one, or two and what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--key", help="the approved public key of the table")
    parser.add_argument("--compare", metavar="FILE", help="another certificate")
    given = parser.parse_args()
    try:
        report, key = read(given.file)
        if given.key and given.key != key:
            raise ValueError(f"it is signed by {key}, which is not the approved key")
        print(f"table {report['identity']['table']}, {report['at']}: {report['verdict']}, signed by {key}")
        if not given.key:
            print("nobody has said which key is approved: compare it, or give it with --key")
        unwell = [check for check in report["checks"] if check["verdict"] != "passed"]
        for check in unwell:
            print(f"{check['verdict']}: {check['part']}, {check['name']}: {check['seen']}")
        found = list(differences(report, read(given.compare)[0])) if given.compare else []
    except (KeyError, OSError, ValueError) as problem:
        print(f"{given.file}: {problem}", file=sys.stderr)
        return 1
    for line in found:
        print(f"differs: {line}")
    return 1 if found or unwell or report["verdict"] != "passed" else 0


if __name__ == "__main__":
    sys.exit(main())
