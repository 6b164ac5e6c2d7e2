"""Validates values against a JSON Schema, both on standard input, and prints where the first fault of each value is, or an empty text."""

import json
import sys

from jsonschema import Draft202012Validator

given = json.load(sys.stdin)
validator = Draft202012Validator(given["schema"])


def find_fault(value):
    error = next(validator.iter_errors(value), None)
    return "" if error is None else "/".join(map(str, error.absolute_path)) or error.message


print(json.dumps([find_fault(value) for value in given["values"]]))
