"""The part of naja's library that is written in Python: plain functions, compiled by naja when a call needs them."""
