"""Validates an OpenAPI document on standard input (openapi-spec-validator), and prints the number of its operations."""

import json
import sys

from openapi_spec_validator import OpenAPIV31SpecValidator, validate

document = json.load(sys.stdin)
validate(document, cls=OpenAPIV31SpecValidator)
print(sum(len(path) for path in document["paths"].values()))
