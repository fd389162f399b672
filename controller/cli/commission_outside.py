"""The parts of a commissioning around the table: the machine, the broker's roles, and a pulled plug."""

from __future__ import annotations

from pathlib import Path

from controller.cli.commission_parts import SKIP, Visit
from controller.journal.reader import SqliteReader
from controller.journal.verify import verify
from controller.shell.clock import Clock
from controller.shell.doctor.machine import check_clock, check_disk, check_memory
from controller.shell.doctor.outside import check_broker
from controller.shell.doctor.rights import Role, check_roles
from controller.shell.wiring.assembly import table_broker
from controller.vocabulary.errors import InputError, JournalError

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
PULL = "before the pull"


def machine(visit: Visit) -> None:
    """Disk, clock and memory, as the doctor sees them."""
    configuration = visit.configuration
    for finding in (*check_disk(configuration), check_clock(Clock()), check_memory()):
        visit.judge(finding.name, finding.grade != "fault", finding.in_words)


def broker(visit: Visit, roles: list[Role]) -> None:
    """Our own role reaches the broker, and each role may do its own and nothing else."""
    settings = table_broker(visit.configuration)
    for finding in (
        *check_broker(visit.configuration, settings),
        *check_roles(visit.configuration, settings, roles),
    ):
        visit.judge(finding.name, finding.grade == "ok", finding.in_words)


def roles_of(words: list[str]) -> list[Role]:
    """``--role ROLE=USER:PASSWORD-FILE``; InputError says how it is written."""
    roles = []
    for said in words:
        name, _, rest = said.partition("=")
        user, colon, file = rest.partition(":")
        if not (name and user and colon and file):
            raise InputError(f"--role {said}: expected ROLE=USER:PASSWORD-FILE")
        roles.append(Role(name, user, Path(file)))
    return roles


def power(visit: Visit, boot_id: Path = BOOT_ID) -> bool:
    """The plug is pulled in a round, and the table comes back to the same card. False: pull it now.

    The machine itself is the witness: another boot, a journal that is whole and has grown by a start, and a
    person who compares the felt with the screen.
    """
    talk, configuration = visit.talk, visit.configuration
    path, now = Path(configuration.journal.path), boot_id.read_text(encoding="ascii").strip()
    before = next((step for step in visit.progress.of(visit.part) if step.name == PULL), None)
    if before is None:
        talk.tell(
            "Start the table (systemctl start ...), open a round, draw two cards, and leave them on the felt."
        )
        said, why = talk.choose_remark("Done? (y; skip and why)", ("y", SKIP))
        if said == SKIP:
            visit.skip("pull", why)
            return True
        visit.note(PULL, "ok", f"boot {now}, record {head_of(path)}")
        talk.tell("Now pull the plug of the controller and put it back; then run this command again.")
        return False
    boot, record = before.seen.removeprefix("boot ").split(", record ")
    if boot == now:
        talk.tell("this machine was not switched off yet: pull its plug, then run this command again")
        return False
    grown = head_of(path)
    visit.note("pull", "ok", f"another boot: {now}")
    visit.judge("comes back by itself", grown > int(record), f"record {record}, now {grown}")
    try:
        found = [finding.text for finding in verify(path).findings]
    except JournalError as error:
        found = [error.message]
    visit.judge("journal whole", not found, "; ".join(found) or f"{grown} records")
    visit.asked("same cards", "Does the screen show the cards that lie on the felt?")
    return True


def head_of(path: Path) -> int:
    """Number of the last record of a journal, 0 if there is none."""
    if not path.exists():
        return 0
    with SqliteReader.open(path) as journal:
        return journal.record_head
