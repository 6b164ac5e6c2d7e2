import type { Catalog } from '#i18n/catalog.ts'

/** Documents of a collection: list, import, generations. */
export const documents: Catalog = {
  'No document has exactly this value or is in this range. Change or remove the filter.':
    'Geen document heeft precies deze waarde of ligt in dit bereik. Wijzig het filter of haal het weg.',
  Select: 'Kiezen',
  'Select {id}': '{id} kiezen',
  'Select all documents of the page': 'Alle documenten van de pagina kiezen',
  'Selected documents': 'Gekozen documenten',
  '{count} selected': { one: '{count} gekozen', other: '{count} gekozen' },
  'Export the selection': 'Keuze exporteren',
  'Delete the selection': 'Keuze verwijderen',
  'Clear the selection': 'Keuze wissen',
  'Deletes the selected documents of {collection}.': 'Verwijdert de gekozen documenten van {collection}.',
  'Deletes the document.': 'Verwijdert het document.',
  '{id} is deleted.': '{id} is verwijderd.',
  '{count} documents deleted.': {
    one: '{count} document verwijderd.',
    other: '{count} documenten verwijderd.',
  },
  'Up to {max} documents can be sorted. Search or filter to find fewer.':
    'Tot {max} documenten kunnen worden gesorteerd. Zoek of filter om er minder te vinden.',
  'Previous document': 'Vorig document',
  'Next document': 'Volgend document',
  'Copy id': 'Id kopiëren',
  'Collections hold the documents that APIs search.':
    'Collecties bevatten de documenten waarin API’s zoeken.',
  'No collections yet': 'Nog geen collecties',
  'Create one from a file of documents, or describe it in the {link}.':
    'Maak er een uit een bestand met documenten, of beschrijf haar in het {link}.',
  'An administrator can add a collection in the workspace file.':
    'Een beheerder kan een collectie toevoegen in het werkruimtebestand.',
  hidden: 'verborgen',
  Building: 'Wordt gebouwd',
  Ready: 'Klaar',
  Live: 'Live',
  immediately: 'meteen',
  'once the import is complete': 'zodra de import klaar is',
  '{documents} of {file}': '{documents} uit {file}',
  'up to {documents} of {file}': 'ten hoogste {documents} uit {file}',
  'The former documents are kept for now: {generations}.':
    'De vorige documenten blijven voorlopig bewaard: {generations}.',
  'go back to them in Generations': 'ga ernaar terug in Generaties',
  'documents (counting…)': 'documenten (tellen…)',
  'about {count} documents': { one: 'ongeveer {count} document', other: 'ongeveer {count} documenten' },
  'a new generation': 'een nieuwe generatie',
  'generation {id}': 'generatie {id}',
  'no generation': 'geen generatie',
  'documents not counted': 'documenten niet geteld',
  'Generation {id} stays live for queries with {configurations}.':
    'Generatie {id} blijft live voor zoekvragen met {configurations}.',
  'Endpoints that search {collection} use {generation} {moment}.':
    'Endpoints die {collection} doorzoeken, gebruiken {generation} {moment}.',
  'Before and after': 'Voor en na',
  Now: 'Nu',
  After: 'Daarna',
  'Replace all documents of {collection}?': 'Alle documenten van {collection} vervangen?',
  'Replace all documents': 'Alle documenten vervangen',
  'Switch to generation {id}': 'Naar generatie {id} overschakelen',
  'Switch to generation {id} of {collection}?': 'Naar generatie {id} van {collection} overschakelen?',
  Generation: 'Generatie',
  'Live in': 'Live in',
  Promote: 'Live zetten',
  'Promote generation {id}': 'Generatie {id} live zetten',
  'Promote generation {id}?': 'Generatie {id} live zetten?',
  'No document has {values}': 'Geen document heeft {values}',
  'Frequent values of {field}': 'Veelvoorkomende waarden van {field}',
  '{value} ({documents})': '{value} ({documents})',
  'documents of {file}': 'documenten uit {file}',
  'This file cannot be imported': 'Dit bestand kan niet worden geïmporteerd',
  '{file} is a spreadsheet: save it as "CSV UTF-8", and drop that file':
    '{file} is een rekenblad: sla het op als "CSV UTF-8" en kies dat bestand',
  '{file} is {format}: convert it to CSV, NDJSON or JSON, and drop that file':
    '{file} is {format}: zet het om naar CSV, NDJSON of JSON en kies dat bestand',
  '{file} is an archive: unpack it, and drop a file inside':
    '{file} is een archief: pak het uit en kies een bestand daarin',
  '{file} is empty: choose another one': '{file} is leeg: kies een ander',
  '{file} is no text: choose CSV, NDJSON or JSON': '{file} is geen tekst: kies CSV, NDJSON of JSON',
  '{file} is not complete. {fault}': '{file} is niet volledig. {fault}',
  '{file} is not complete: it does not end with “{end}”.':
    '{file} is niet volledig: het eindigt niet op “{end}”.',
  'Line {line}, column {column}: {fault}.': 'Regel {line}, kolom {column}: {fault}.',
  'the text ends here, and {need} is missing': 'de tekst eindigt hier, en {need} ontbreekt',
  '“{found}” follows a comma: leave out the comma': '“{found}” volgt op een komma: laat de komma weg',
  'the text that begins here is not closed': 'de tekst die hier begint wordt niet afgesloten',
  'the text that begins here has a line break, another control character or an unknown escape such as \\x':
    'de tekst die hier begint bevat een regeleinde, een ander stuurteken of een onbekende escape zoals \\x',
  'here is a single quote where {need} is needed; JSON has double quotes':
    'hier staat een enkel aanhalingsteken waar {need} hoort; JSON heeft dubbele aanhalingstekens',
  'here is “{found}” where {need} is needed': 'hier staat “{found}” waar {need} hoort',
  'the end of the text': 'het einde van de tekst',
  '“,” or “{end}”': '“,” of “{end}”',
  'a value': 'een waarde',
  'a value or “]”': 'een waarde of “]”',
  'a name in double quotes or “}”': 'een naam tussen dubbele aanhalingstekens of “}”',
  'a name in double quotes': 'een naam tussen dubbele aanhalingstekens',
  '“:”': '“:”',
  'This is not JSON: an import takes the documents that can be read, and lists the others.':
    'Dit is geen JSON: een import neemt de documenten die leesbaar zijn, en noemt de andere.',
  '{count} documents cannot be read, and the import will leave them out. The first:': {
    one: '{count} document kan niet worden gelezen, en de import laat het weg:',
    other: '{count} documenten kunnen niet worden gelezen, en de import laat ze weg. Het eerste:',
  },
  'CSV and other tables of text, NDJSON, JSON or GeoJSON, of any size, also as .gz.':
    'CSV en andere tabellen van tekst, NDJSON, JSON of GeoJSON, zo groot als u wilt, ook als .gz.',
  'A document replaces the one with the same {idField}.':
    'Een document vervangt het document met dezelfde {idField}.',
  'Replace the whole collection': 'De hele collectie vervangen',
  'Stage only': 'Alleen klaarzetten',
  'All or nothing': 'Alles of niets',
  'Canceled. The number of imported documents is unknown: reload the page to see it.':
    'Geannuleerd. Het aantal geïmporteerde documenten is onbekend: laad de pagina opnieuw om het te zien.',
  'The import finished before it could be canceled: {count} documents were imported.': {
    one: 'De import was klaar voordat die kon worden geannuleerd: {count} document is geïmporteerd.',
    other: 'De import was klaar voordat die kon worden geannuleerd: {count} documenten zijn geïmporteerd.',
  },
  'Canceled, {count} documents were imported.': {
    one: 'Geannuleerd, {count} document is geïmporteerd.',
    other: 'Geannuleerd, {count} documenten zijn geïmporteerd.',
  },
  'Canceled, no documents were imported: the collection is unchanged.':
    'Geannuleerd, er zijn geen documenten geïmporteerd: de collectie is ongewijzigd.',
  'Canceled, no documents were imported.': 'Geannuleerd, er zijn geen documenten geïmporteerd.',
  '{count} documents accepted': {
    one: '{count} document aangenomen',
    other: '{count} documenten aangenomen',
  },
  '{count} read': '{count} gelezen',
  '{count} replaced an earlier one with the same id': '{count} vervingen een eerdere met dezelfde id',
  'Of documents with the same id, the last one stays: {ids}.':
    'Van documenten met dezelfde id blijft het laatste: {ids}.',
  'Of documents with the same id, the last one stays. The first such ids: {ids}.':
    'Van documenten met dezelfde id blijft het laatste. De eerste van zulke id’s: {ids}.',
  '{count} lines rejected': { one: '{count} regel geweigerd', other: '{count} regels geweigerd' },
  '{count} rows, first {place}': '{count} rijen, als eerste {place}',
  'Also found: {values}.': 'Ook gevonden: {values}.',
  'index {index}': 'index {index}',
  'No document has a value for {fields}. Compare the names with the documents.':
    'Geen document heeft een waarde voor {fields}. Vergelijk de namen met de documenten.',
  'The file was read as {encoding}. If letters are wrong, save it as UTF-8 and import it again.':
    'Het bestand is gelezen als {encoding}. Als letters niet kloppen, sla het dan op als UTF-8 en importeer het opnieuw.',
  'The first {count} are listed.': 'De eerste {count} staan hieronder.',
  'Queries use it after a member with the role user or administrator promotes it.':
    'Zoekvragen gebruiken de generatie zodra een bewerker of beheerder haar live zet.',
  'Try it: {api}': 'Uitproberen: {api}',
  Comma: 'Komma',
  Semicolon: 'Puntkomma',
  Tab: 'Tab',
  Delimiter: 'Scheidingsteken',
  'Column of the id': 'Kolom van het id',
  'The file has no “{idField}”, which holds the id of a document.':
    'Het bestand heeft geen “{idField}”, met het id van een document.',
  'The file has no column “{idField}”. The column “{column}” is imported as the id.':
    'Het bestand heeft geen kolom “{idField}”. De kolom “{column}” wordt als id geïmporteerd.',
  'The first documents of {file}': 'De eerste documenten van {file}',
  'Import {file}': '{file} importeren',
  'Import anyway': 'Toch importeren',
  'Nothing in this file is a field of {collection}. Is it the right file?':
    'Niets in dit bestand is een veld van {collection}. Is het het goede bestand?',
  'Stored and returned, but not searched: {list}. {declare}':
    'Wordt bewaard en teruggegeven, maar niet doorzocht: {list}. {declare}',
  'Declare them': 'Declareren',
  'Stored and returned, but not searched: {list}.':
    'Wordt bewaard en teruggegeven, maar niet doorzocht: {list}.',
  Uploaded: 'Geüpload',
  'Canceling: waiting for the number of imported documents':
    'Annuleren: wachten op het aantal geïmporteerde documenten',
  Progress: 'Voortgang',
  '{percent} % uploaded': '{percent} % geüpload',
  'Uploaded; importing': 'Geüpload; importeren',
  'Uploaded; indexing': 'Geüpload; indexeren',
  '{rate} a second': '{rate} per seconde',
  '{count} documents done': { one: '{count} document gedaan', other: '{count} documenten gedaan' },
  '{time} left': 'nog {time}',
  '{seconds} s': '{seconds} s',
  '{minutes} min {seconds} s': '{minutes} min {seconds} s',
  '{hours} h {minutes} min': '{hours} u {minutes} min',
  'Save the rejected documents, to correct and import them':
    'De geweigerde documenten opslaan, om ze te verbeteren en te importeren',
  'Bar (|)': 'Streep (|)',
  'Change stored documents': 'Opgeslagen documenten wijzigen',
  'Create those that are new': 'Nieuwe aanmaken',
  'The values of a document change the one with the same {idField}; all others stay.':
    'De waarden van een document wijzigen het document met dezelfde {idField}; alle andere blijven.',
  '{count} documents changed': { one: '{count} document gewijzigd', other: '{count} documenten gewijzigd' },
  '{count} documents created': { one: '{count} document aangemaakt', other: '{count} documenten aangemaakt' },
  'Suggestions are the most frequent values.': 'De suggesties zijn de waarden die het meest voorkomen.',
  'Give the document an id, in “{idField}”.': 'Geef het document een id, in “{idField}”.',
  'A document with the id {id} exists. Open it to edit it.':
    'Er bestaat al een document met het id {id}. Open het om het te bewerken.',
  'Add document': 'Document toevoegen',
  Columns: 'Kolommen',
  'Counting documents': 'Documenten tellen',
  'Delete {count} documents?': {
    one: '{count} document verwijderen?',
    other: '{count} documenten verwijderen?',
  },
  'Deletes all documents of {collection} with {conditions}, for good.':
    'Verwijdert alle documenten van {collection} met {conditions}, voorgoed.',
  'A document is a JSON object: { … }': 'Een document is een JSON-object: { … }',
  'Document as JSON': 'Document als JSON',
  'No documents': 'Geen documenten',
  '{first}–{last} of {total}': '{first}–{last} van {total}',
  View: 'Weergave',
  Table: 'Tabel',
  List: 'Lijst',
  'Delete all {total}': 'Alle {total} verwijderen',
  'No documents found': 'Geen documenten gevonden',
  'Words are found in text fields, as whole words. Try other words, or remove a filter.':
    'Woorden worden in tekstvelden gevonden, als hele woorden. Probeer andere woorden, of haal een filter weg.',
  Previous: 'Vorige',
  'No documents to show': 'Geen documenten om te tonen',
  'Your row filter prevents this list. Use Try it, below {apis}, to find the documents that you may see.':
    'Uw rijfilter staat deze lijst niet toe. Gebruik Uitproberen, onder {apis}, om de documenten te vinden die u mag zien.',
  '{megabytes} MB exported': '{megabytes} MB geëxporteerd',
  'Cancel the export': 'Export annuleren',
  Export: 'Exporteren',
  'Remove the filter {filter}': 'Filter {filter} weghalen',
  'Sort by': 'Sorteren op',
  'not sorted': 'niet gesorteerd',
  '{field}, ascending': '{field}, oplopend',
  '{field}, descending': '{field}, aflopend',
  'is exactly': 'is precies',
  'Search documents': 'Documenten zoeken',
  'Words or id': 'Woorden of id',
  'There is no document with this id.': 'Er is geen document met dit id.',
  'Delete {id}?': '{id} verwijderen?',
  'Edit {id}': '{id} bewerken',
  'Form or JSON': 'Formulier of JSON',
  Form: 'Formulier',
  'The text is not JSON yet. Correct it in the tab JSON.':
    'De tekst is nog geen JSON. Verbeter deze in het tabblad JSON.',
  'The id of the document. It cannot be changed later.':
    'Het id van het document. Het kan later niet worden gewijzigd.',
  'Only in the tab JSON: {names}': 'Alleen in het tabblad JSON: {names}',
  '{label}, value {number}': '{label}, waarde {number}',
  'Delete value {number} of {label}': 'Waarde {number} van {label} verwijderen',
  'Add a value to {label}': 'Waarde toevoegen aan {label}',
  'Add a value': 'Waarde toevoegen',
  'no value': 'geen waarde',
  'Write a latitude and a longitude, such as 52.37,4.89.':
    'Schrijf een breedtegraad en een lengtegraad, zoals 52.37,4.89.',
  'Write a date, such as {example}.': 'Schrijf een datum, zoals {example}.',
}
