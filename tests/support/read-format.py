"""Reads results on standard input with a reader that knows nothing of Querent, and prints what it found as JSON.

Its argument is the format: csv (Python's own reader), xlsx (openpyxl), xml (lxml) or rdf (rdflib). Exits with an error where the reader
finds anything wrong.
"""

import csv
import io
import json
import sys
import warnings

warnings.simplefilter("ignore")


def read_csv(data):
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))


def read_xlsx(data):
    import openpyxl

    cell = lambda c: {"type": c.data_type, "value": c.value}
    book = openpyxl.load_workbook(io.BytesIO(data))
    return {sheet.title: [[cell(c) for c in row] for row in sheet.iter_rows()] for sheet in book}


def read_xml(data):
    from lxml import etree

    def element(node):
        return {
            "name": node.tag,
            "attributes": dict(node.attrib),
            "text": node.text or "",
            "children": [element(child) for child in node],
        }

    return element(etree.fromstring(data))


def read_rdf(data):
    import rdflib

    graph = rdflib.Graph().parse(data=data, format="nt")

    def term(node):
        if not isinstance(node, rdflib.Literal):
            return {"iri": str(node)}
        return {"text": str(node), "type": node.datatype and str(node.datatype), "language": node.language}

    return [[str(s), str(p), term(o)] for s, p, o in graph]


read = {"csv": read_csv, "xlsx": read_xlsx, "xml": read_xml, "rdf": read_rdf}[sys.argv[1]]
print(json.dumps(read(sys.stdin.buffer.read())))
