"""A whole table without hardware: devices, dealer and players of software, a real broker, the board."""

FOLDER_PREFIX = "dealer-table-demo-"
"""How the name of a demo's folder begins, among the temporary ones."""
