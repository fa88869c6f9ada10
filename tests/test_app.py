"""The dashboard without a browser: it opens, and shows the numbers the package computes."""
