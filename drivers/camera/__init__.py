"""Camera over a card position: decode, driver, simulator."""
