"""A whole table without hardware: devices, dealer and players of software, a real broker, the board."""

FOLDER_PREFIX = "dealer-table-"
"""How the name of the folder of a demo, bench or story begins, among the temporary ones."""
