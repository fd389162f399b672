"""The pages that are drawn from the code: one module for each, and one list of them."""
