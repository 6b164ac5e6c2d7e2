/** Dutch sentences about documents that are no JSON, and their parts, by the English ones of the server. Their values are in braces. */
export const importTexts: Readonly<Record<string, string>> = {
  'this is not JSON': 'dit is geen JSON',
  'this is not JSON at {place}: found {found} behind a comma: leave out the comma':
    'dit is geen JSON op {place}: {found} staat achter een komma: laat de komma weg',
  'this is not JSON at {place}: {fault}': 'dit is geen JSON op {place}: {fault}',
  'line {line}, column {column}': 'regel {line}, kolom {column}',
  'column {column}': 'kolom {column}',
  'line {line}': 'regel {line}',
  'the text ends, and {need} is missing': 'de tekst eindigt, en {need} ontbreekt',
  'the text that begins here is not closed': 'de tekst die hier begint, is niet afgesloten',
  'a text begins here that has a line break, another control character or an unknown escape such as \\x in it':
    'hier begint een tekst met een regeleinde, een ander stuurteken of een onbekende escape zoals \\x',
  'found {found} where {need} is needed; JSON has double quotes':
    '{found} staat waar {need} hoort; JSON heeft dubbele aanhalingstekens',
  'found {found} where {need} is needed': '{found} staat waar {need} hoort',
  'a value': 'een waarde',
  'a value or "]"': 'een waarde of "]"',
  'a name in double quotes or "}"': 'een naam in dubbele aanhalingstekens of "}"',
  'a name in double quotes': 'een naam in dubbele aanhalingstekens',
  'the end of the text': 'het einde van de tekst',
  '"," or "}"': '"," of "}"',
  '"," or "]"': '"," of "]"',
}
