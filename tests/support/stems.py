# Reads {language: [word]} and writes {language: [stem]}: Snowball's stems, with unaccented Latin characters, as the engine folds them.
import json
import sys
import unicodedata

import snowballstemmer

SPECIAL = {"ß": "ss", "æ": "ae", "ø": "o", "å": "a", "ı": "i", "œ": "oe"}


def folded(stem):
    letters = []
    for letter in stem:
        base = unicodedata.normalize("NFD", letter)[0]
        letters.append(SPECIAL.get(letter, base if base.isascii() else letter))
    return "".join(letters)


def unmarked(word):
    """Without accents, vowel signs and nuktas, as the engine folds other scripts."""
    letters = (c for c in unicodedata.normalize("NFD", word) if not (combining := unicodedata.combining(c)) or combining == 9)
    return unicodedata.normalize("NFC", "".join(letters)).replace("ς", "σ")


words = json.load(sys.stdin)
stems = {}
for language, listed in words.items():
    stemmer = snowballstemmer.stemmer(language)
    if language in ("arabic", "armenian", "greek", "hindi"):
        stems[language] = [stemmer.stemWord(unmarked(word)) for word in listed]
    elif language == "dutch":
        porter = snowballstemmer.stemmer("dutch_porter")
        stems[language] = [folded(porter.stemWord(stemmer.stemWord(word))) for word in listed]
    elif language == "english":
        # For these languages, the engine folds first.
        stems[language] = [stemmer.stemWord(folded(word)) for word in listed]
    else:
        stems[language] = [folded(stemmer.stemWord(word)) for word in listed]
json.dump(stems, sys.stdout)
