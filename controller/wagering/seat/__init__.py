"""The seat that a person plays from: its pages, and what is pushed to them."""
