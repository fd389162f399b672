"""A whole table without hardware: devices, dealer and players of software, a real broker, the board."""
