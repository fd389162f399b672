# make run     a whole table with simulated devices, in this terminal; installs the program, nothing else
# make setup   .venv with the program
# make setup-tests   everything for development as well: Node, Playwright, mypy, a database
# make lint    ruff, mypy, forbidden arrows
# make check   these and the tests of the core, within a minute
# make test    setup and everything: ruff, mypy, forbidden arrows and every test
# make format  bring the sources into shape
# make mutants breaks the code on purpose, one named defect at a time; a test must notice each
# make faults  kills and a bad network for about half an hour: nothing may be lost, reordered, doubled or wrong
# make kills   1,000 rounds through 62 kills, and 201 kills between a byte of a shoe and its commit: a few minutes
# make bench   medians and ratios against the peers, as a table and as build/bench.json
# make evening two hours of fast dealing on a page of the board: what it grows by, its processor share beside the head before
# make floor   a thousand tables, brokers and databases that die, counted; goes on where it stopped
# make books   players bet, undo, double, leave and call again while all is killed: the books balance; goes on where it was
# make crashes a crash before and after each write, sync, send and answer of a round of every game
# make machine boots the package on a machine of its own: devices pulled, pins read back, power cuts, wear of the disk
# make hunt    how many rounds the simulation needs to find each of some mistakes
# make simulate a million rounds of a physical table that a seeded plan spoils: no final that the felt does not show
# make fuzz    a million inputs for each wire of a device
# make misreads   300,000 scratched or degraded cards before the camera, none taken for another; goes on where it was
# make plain-evenings   an evening of each game from a camera that reads plain cards
# make cards   plain cards of designs that nobody here drew pass the camera, none is taken for another; goes on where it was
# make screenshots   every page of board and seat in every state, size and language, measured and as pictures in build/screenshots
#
# A run that takes too long for every change is a module of tests/ and a target of its own at the end.

BIN := .venv/bin
# Five for two cores: many a test waits for a broker, a process or a browser.
WORKERS ?= $(shell expr $$(nproc) \* 5 / 2)
# A worker takes a whole file, so what its tests share is made once.
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# The rooms whose tests wait for next to nothing: the core, the journal, settings and schemas.
CORE := books games golden house journal odds roads round scenarios schema settings settlement shoe

# The tests start the program some hundred times: Python may keep what it has compiled, whatever the machine says.
unexport PYTHONDONTWRITEBYTECODE

# No target is a file.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

setup:
	@./setup.sh

setup-tests:
	@./setup.sh tests

run: setup
	@$(BIN)/dealer-table demo --seat --players 12

lint: setup-tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint
	$(PYTEST) -q $(CORE:%=tests/%)

# There are more workers than cores: threads of a library for numbers only wait for each other.
test check: export OPENBLAS_NUM_THREADS := 1

# Beside mypy, which has one core only, run the tests; they are compiled first, else each worker does that for itself.
test: setup-tests
	@$(MAKE) --no-print-directory --jobs 2 lint tested

tested: compiled
	$(PYTEST)

compiled: setup-tests
	@$(BIN)/pytest --collect-only >/dev/null 2>&1 || :

format: setup-tests
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format

# make deb [ARCH=arm64]: the Debian package of any machine, in dist/. packaging/try-package.sh tries one.
ARCH ?= $(shell dpkg --print-architecture)

deb: setup-tests
	@$(BIN)/python -m making.deb --arch $(ARCH)

# Every library of the package with the hashes of its files; after a change of constraints.txt. colorzero names
# setuptools and does not use it, psycopg names tzdata for another system.
lock: setup-tests
	@rm -f packaging/requirements.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-emit-package setuptools --no-emit-package tzdata --custom-compile-command "make lock" \
		--constraints constraints.txt --output-file packaging/requirements.txt pyproject.toml

# The pages that are drawn from the code; a test says when they are out of date.
docs: setup-tests
	@$(BIN)/python -m making.pages

# make mutants PART=tie tries the defects whose name, place or tests have this in them, PART="tie roads" those with both;
# PART=--look only says which no longer apply to the code as it is.
mutants: setup-tests
	@$(BIN)/python -m tests.mutants $(PART)

# Every state of tiny tables that three mishaps reach: no exception, no broken invariant, always a way out. It goes on
# with the next table where it was stopped. ARGUMENTS="--mishaps 4 --states 1000000" looks further, "--table 5" at one.
exhaust: setup-tests
	@$(BIN)/python -m tests.exhaust $(ARGUMENTS)

# Daemon, broker and consumer killed, cables cut; prints its figures. ARGUMENTS="--kills 5 --seed 12" is shorter,
# ARGUMENTS=--tls goes through TLS to a broker with the shipped configuration.
faults: setup-tests
	@$(BIN)/python -m tests.faults $(ARGUMENTS)

kills: setup-tests
	@KILL_ROUNDS=1000 KILLS=67 $(PYTEST) -s tests/e2e/test_kills.py tests/e2e/test_lost_bytes.py

# False alarms and detection of the watch for factory order, over 1,000,000 shoes of each size: 5 minutes.
measure: setup-tests
	@$(BIN)/python -m tests.measure.unshuffled $(ARGUMENTS)

# Every mark of the notes in one run, ours and the peers in turn: a table, and build/bench.json. Minutes; wants a quiet
# machine. PART="odds camera" runs only these.
bench: setup-tests
	@$(BIN)/python -m tests.bench $(PART)

# One page of the board for two hours of fast dealing: growth of its memory, and its processor share beside that of the board
# before its design. ARGUMENTS="--before COMMIT" takes another head.
evening: setup-tests
	@$(BIN)/python -m tests.bench.evening $(ARGUMENTS)

# 5,000 rounds of all games with 200 players; the service dies at any statement, PostgreSQL and the house's wallet are killed,
# and in one night of 200, of processes, table and broker too. ARGUMENTS="--rounds 100000" plays on. python -m tests.books.prices holds the prices of 10,000 rounds against the odds.
books: setup-tests
	@$(BIN)/python -m tests.books $(ARGUMENTS)

# A thousand tables on one mosquitto and on three nodes of RabbitMQ 4, into PostgreSQL with a synchronous standby; node,
# recorder, primary and real daemons killed. Some hours; each stage that is done stands in build/floor.json, and a run goes on
# with the next. ARGUMENTS="--minutes 2 --tables 100 --backlog 2 --stage mosquitto" is short.
floor: setup-tests
	@$(BIN)/python -m tests.floor $(ARGUMENTS)

crashes: setup-tests
	@$(BIN)/python -m tests.faults.crashes $(ARGUMENTS)

# A million inputs for each wire of a device: nothing raises, nothing is lost, no card that was not sent.
# ARGUMENTS="--wire scanner --seed 7" is one wire, the same inputs again.
fuzz: setup-tests
	@$(BIN)/python -m tests.drivers.fuzz_wires $(ARGUMENTS)

# 300,000 scratched or degraded cards before the camera: none is taken for another. It takes hours, may be
# stopped at any time, and goes on where it was. ARGUMENTS="--minutes 60" does a part of it.
misreads: setup-tests
	@$(BIN)/python -m tests.bench.misreads $(ARGUMENTS)

# 60,000 passages of plain cards and 20,000 of designs that were not learnt; hours, goes on where it was. It fetches the
# drawings of two Debian packages and wants librsvg2-bin. ARGUMENTS="--minutes 60" does a part of it.
cards: setup-tests
	@$(BIN)/python -m tests.plain $(ARGUMENTS)

# An evening of each game: a camera reads plain cards, one of forty it cannot read, and a supervisor enters that one.
# ARGUMENTS="--rounds 10" is short.
plain-evenings: setup
	@for game in baccarat 2-card-action two-cards-high casino-holdem; do \
		$(BIN)/dealer-table demo --game $$game --shoe camera --cards plain --unread 40 --rounds 180 --pace-s 0 \
			$(ARGUMENTS) || exit 1; \
	done

# 24 simulated hours at a table; says what grew. ARGUMENTS="--hours 100" plays on.
soak: setup-tests
	@$(BIN)/python -m tests.soak $(ARGUMENTS)

# The pictures of the README and of the pages about the board and about plain cards.
picture: setup-tests
	@$(BIN)/python -m tests.board.screenshots --pictures docs/pictures
	@$(BIN)/python -m tests.plain.pictures docs/pictures/plain-cards.jpg

# The pictures of a terminal in the README.
terminal-pictures: setup
	@$(BIN)/python -m making.terminal_pictures

screenshots: setup-tests
	$(BIN)/python -m tests.board.screenshots build/screenshots
	$(BIN)/python -m tests.seat.screenshots build/screenshots

# Rounds of the physical table: people and readers who err, oracles that know where every card lies. ROUNDS=1000000 goes
# on where it was stopped; SEED=n repeats one history and makes it small; GAME=baccarat plays one game only, LEVEL=stack
# with journal, disk, broker, consumers and cables, all of which fail.
simulate: setup-tests
	@$(BIN)/python -m tests.simulation $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SEED),--seed $(SEED)) $(if $(GAME),--game $(GAME)) \
		$(if $(LEVEL),--level $(LEVEL)) $(ARGUMENTS)

# A machine of its own in qemu, with the package, its service, real USB plugs and pins that are read back: what a technician
# does. It needs root, and some minutes for an image the first time; it goes on with the steps that were not done yet, and
# ARGUMENTS=--anew forgets them; ARGUMENTS=--slice does what fits into ten minutes. ARGUMENTS="--cuts 300" cuts its power
# until 300 are counted (goes on where it was; "--system f2fs" on another file system), ARGUMENTS=--wear counts what a round
# writes.
machine: setup-tests
	@$(BIN)/python -m tests.machine $(ARGUMENTS)

# Mistakes of our own choosing: how many rounds of the simulation it takes to find each. Goes on where it was.
hunt: setup-tests
	@$(BIN)/python -m tests.simulation.hunt $(ARGUMENTS)
