import type { Catalog } from '#i18n/catalog.ts'

/** Collections, their documents, fields and synonyms. */
export const data: Catalog = {
  'copy of {field}, for searching': 'kopie van {field}, om in te zoeken',
  'Delete collection': 'Collectie verwijderen',
  'Delete the collection {name}?': 'De collectie {name} verwijderen?',
  'This permanently deletes all its documents.': 'Dit verwijdert al haar documenten voorgoed.',
  'Keep finding it by its words': 'Blijven vinden op de woorden ervan',
  'Adds {copy}, a copy for searching.': 'Voegt {copy} toe, een kopie om te doorzoeken.',
  'Searches for words no longer find anything in this field, only filters for its whole value.':
    'Zoeken op woorden vindt dan niets meer in dit veld, alleen filters op de hele waarde.',
  'Text fields are not in this list. In Data, change such a field to the type keyword, which keeps a copy for searching.':
    'Tekstvelden staan niet in deze lijst. Geef zo’n veld in Data het type keyword; er blijft dan een kopie om te doorzoeken.',
  'This permanently deletes its {count} documents.': {
    one: 'Dit verwijdert haar {count} document voorgoed.',
    other: 'Dit verwijdert haar {count} documenten voorgoed.',
  },
  'What uses it goes too. APIs that search other collections keep the rest of their endpoints.':
    'Wat haar gebruikt, gaat mee. API’s die andere collecties doorzoeken, houden hun overige endpoints.',
  Visibility: 'Zichtbaarheid',
  'For all others the field does not exist: not in documents, facets, searches and exports.':
    'Voor alle anderen bestaat het veld niet: niet in documenten, facetten, zoekopdrachten en exports.',
  'Everybody who sees the document': 'Iedereen die het document ziet',
  'Administrators, because it names the readers of documents':
    'Beheerders, omdat het de lezers van documenten noemt',
  'Administrators and these groups': 'Beheerders en deze groepen',
  'Groups that see it': 'Groepen die het zien',
  'No group is chosen: administrators only.': 'Er is geen groep gekozen: alleen beheerders.',
  'The same people see it as {field}, of which it is a copy.':
    'Dezelfde mensen zien het als {field}, waarvan het een kopie is.',
  'Readers of documents': 'Lezers van documenten',
  'A keyword field names who reads each document: e-mail addresses, groups and Client IDs. Documents without a name are for administrators only.':
    'Een keyword-veld noemt wie elk document leest: e-mailadressen, groepen en Client ID’s. Documenten zonder naam zijn alleen voor beheerders.',
  'Everybody who may open the collection': 'Iedereen die de collectie mag openen',
  'Those that {field} names': 'Wie {field} noemt',
  'Name that means every member': 'Naam die elk lid betekent',
  'Documents with this value are for everybody. Empty: there is none.':
    'Documenten met deze waarde zijn voor iedereen. Leeg: die is er niet.',
  'those that {field} names': 'wie {field} noemt',
  'Import without these rows': 'Importeren zonder deze rijen',
  'File of documents': 'Bestand met documenten',
  'Drop a file of documents, or choose one': 'Sleep een bestand met documenten hierheen, of kies er een',
  'Drop a file here, or choose one': 'Sleep een bestand hierheen, of kies er een',
  'CSV and other tables of text, NDJSON, JSON or GeoJSON, also as .gz.':
    'CSV en andere tabellen van tekst, NDJSON, JSON of GeoJSON, ook als .gz.',
  'Reading the file': 'Bestand lezen',
  'From a file of documents. You can change the proposal before anything is created.':
    'Uit een bestand met documenten. U kunt het voorstel wijzigen voordat er iets wordt gemaakt.',
  Fields: 'Velden',
  empty: 'leeg',
  Type: 'Type',
  'Type of {name}': 'Type van {name}',
  Used: 'Gebruikt',
  'Use {name}': '{name} gebruiken',
  'Counts more': 'Telt zwaarder',
  '{name} counts more': '{name} telt zwaarder',
  Facet: 'Facet',
  'Facet of {name}': 'Facet van {name}',
  Sort: 'Sorteren',
  'Sort by {name}': 'Sorteren op {name}',
  'Breaks ties': 'Beslist bij gelijke stand',
  '{name} breaks ties': '{name} beslist bij gelijke stand',
  '{collection} is created': '{collection} is gemaakt',
  'You can still change its {fields}, and its endpoints under {apis}.':
    'U kunt de {fields} nog wijzigen, en de endpoints onder {apis}.',
  fields: 'velden',
  'workspace file': 'werkruimtebestand',
  'Import again': 'Opnieuw importeren',
  'The collection has no documents. Change how it reads them, or start again.':
    'De collectie heeft geen documenten. Wijzig hoe zij ze leest, of begin opnieuw.',
  'Change the types': 'De typen wijzigen',
  'Remove the collection': 'De collectie verwijderen',
  'Remove the collection {name}?': 'De collectie {name} verwijderen?',
  'The first search': 'De eerste zoekopdracht',
  'No field is a text, so people cannot search. Make at least one a text.':
    'Geen enkel veld is tekst, dus mensen kunnen niet zoeken. Maak van minstens één veld tekst.',
  '{count} fields': { one: '{count} veld', other: '{count} velden' },
  'Counted in the first {count} documents.': {
    one: 'Geteld in het eerste document.',
    other: 'Geteld in de eerste {count} documenten.',
  },
  '{file}: looked at all {count} documents.': {
    one: '{file}: {count} document bekeken.',
    other: '{file}: alle {count} documenten bekeken.',
  },
  "In addresses; it can't be changed later": 'In adressen; kan later niet worden gewijzigd',
  Id: 'Id',
  'Made from the content': 'Gemaakt van de inhoud',
  '“{field}” is the same in several documents of the file, and the last one stays. To keep all documents, let the server make the ids, and import the file again.':
    '“{field}” is hetzelfde in meerdere documenten van het bestand, en het laatste blijft. Laat de server de id’s maken en importeer het bestand opnieuw om alle documenten te houden.',
  'Make ids from the content': 'Id’s van de inhoud maken',
  'Number the rows': 'De rijen nummeren',
  'Change and import again': 'Wijzigen en opnieuw importeren',
  'Number of the row': 'Nummer van de rij',
  'Import the whole file each time: it replaces all documents':
    'Importeer telkens het hele bestand: het vervangt alle documenten',
  'A document that has changed is imported as a new one':
    'Een gewijzigd document wordt als nieuw document geïmporteerd',
  '{count} documents equal another one and will be lost': {
    one: '{count} document is gelijk aan een ander en gaat verloren',
    other: '{count} documenten zijn gelijk aan een ander en gaan verloren',
  },
  '{field} ({different} of {documents} are different)':
    '{field} ({different} van {documents} zijn verschillend)',
  '{count} documents have the id of an earlier one, and will replace it: {examples}.': {
    one: '{count} document heeft de id van een eerder document en zal dat vervangen: {examples}.',
    other: '{count} documenten hebben de id van een eerder document en zullen dat vervangen: {examples}.',
  },
  '{count} documents have no id, and will be rejected.': {
    one: '{count} document heeft geen id en zal worden geweigerd.',
    other: '{count} documenten hebben geen id en zullen worden geweigerd.',
  },
  'Of the collection and its search': 'Van de collectie en haar zoekfunctie',
  'Line {line}: a quote opens a value and is never closed. Correct the file, and choose it again.':
    'Regel {line}: een aanhalingsteken opent een waarde en wordt nooit gesloten. Verbeter het bestand, en kies het opnieuw.',
  'No language recognized. Choose it here: otherwise parts of compounds and other forms of words are found less often.':
    'Geen taal herkend. Kies hem hier: anders worden delen van samenstellingen en andere vormen van woorden minder vaak gevonden.',
  'general: several languages': 'general: meerdere talen',
  'none: words as they are': 'none: woorden zoals ze zijn',
  'Guessed: {percent}% of the texts': 'Geraden: {percent}% van de teksten',
  '{file}: looked at the first {count} documents.': '{file}: de eerste {count} documenten bekeken.',
  '{file}: looked at {count} documents from its beginning to its end.':
    '{file}: {count} documenten bekeken, van het begin tot het einde.',
  Searched: 'Doorzocht',
  'Search {name}': '{name} doorzoeken',
  Range: 'Bereik',
  'Range of {name}': 'Bereik van {name}',
  'from {lat} and {lon}': 'uit {lat} en {lon}',
  'The first documents': 'De eerste documenten',
  'See all {total} documents': 'Alle {total} documenten bekijken',
  'How people see the collection. Empty: its name.': 'Hoe mensen de collectie zien. Leeg: haar naam.',
  Values: 'Waarden',
  'Whether one text of a document is several values, such as gift;new.':
    'Of één tekst van een document meer waarden is, zoals cadeau;nieuw.',
  'with {fields}': 'met {fields}',
  'several values, separated by {sign}': 'meer waarden, gescheiden door {sign}',
  'One value in {name}': 'Eén waarde in {name}',
  'Split at {sign}': 'Splitsen bij {sign}',
  'Split {name} at {sign}': '{name} splitsen bij {sign}',
  'One value': 'Eén waarde',
  'Several values, separated by {sign}': 'Meer waarden, gescheiden door {sign}',
  'a line break': 'een nieuwe regel',
  'a comma': 'een komma',
  'Shown as a picture': 'Getoond als afbeelding',
  'Only shown as a picture, which needs no field':
    'Alleen getoond als afbeelding, daar is geen veld voor nodig',
  'Read as {form}': 'Lezen als {form}',
  'longitude, latitude': 'lengtegraad, breedtegraad',
  'Lists of two numbers': 'Lijsten van twee getallen',
  'Decimal sign': 'Decimaalteken',
  'How documents write its numbers.': 'Hoe documenten de getallen schrijven.',
  'a point, and nothing between thousands: 1000.5': 'een punt, en niets tussen duizendtallen: 1000.5',
  'a comma: 1.000,5': 'een komma: 1.000,5',
  'a point: 1,000.5': 'een punt: 1,000.5',
  Formats: 'Notaties',
  'How documents write its dates, such as dd.MM.yyyy, separated by semicolons. 2024-01-31 is read in any case.':
    'Hoe documenten de datums schrijven, zoals dd.MM.yyyy, gescheiden door puntkomma’s. 2024-01-31 wordt altijd gelezen.',
  'The order of the numbers in a place such as [4.89, 52.37].':
    'De volgorde van de getallen in een plaats, zoals [4.89, 52.37].',
  'latitude, longitude': 'breedtegraad, lengtegraad',
  'Times without a zone are UTC': 'Tijden zonder tijdzone zijn UTC',
  'Read as {form} instead': 'Toch lezen als {form}',
  'Read as {form}: {count} fit': 'Lezen als {form}: {count} passen',
  '{misfits} of {values} values are no dates like {form}, and their documents will be rejected':
    '{misfits} van {values} waarden zijn geen datums zoals {form}, en hun documenten worden geweigerd',
  '{misfits} of {values} values are no numbers like {form}, and their documents will be rejected':
    '{misfits} van {values} waarden zijn geen getallen zoals {form}, en hun documenten worden geweigerd',
  '{fitting} of {values} values are numbers, but not: {others}':
    '{fitting} van {values} waarden zijn getallen, maar niet: {others}',
  '{fitting} of {values} values are dates, but not: {others}':
    '{fitting} van {values} waarden zijn datums, maar niet: {others}',
  'Make it a number': 'Maak er een getal van',
  'Make it a date': 'Maak er een datum van',
  'List of documents': 'Lijst met documenten',
  'The other lists of the file are left out': 'De andere lijsten van het bestand blijven weg',
  '{misfits} of {values} values are neither true nor false, and their documents will be rejected':
    '{misfits} van {values} waarden zijn noch true noch false, en hun documenten worden geweigerd',
  '{misfits} of {values} values are no places like 52.37,4.89, and their documents will be rejected':
    '{misfits} van {values} waarden zijn geen plaatsen zoals 52.37,4.89, en hun documenten worden geweigerd',
  '{misfits} of {values} values are no objects, and their documents will be rejected':
    '{misfits} van {values} waarden zijn geen objecten, en hun documenten worden geweigerd',
  'Search {title}': '{title} doorzoeken',
  'Different in each document': 'Anders in elk document',
  'Of the texts': 'Van de teksten',
  'Create and import': 'Maken en importeren',
  'Choose another file': 'Ander bestand kiezen',
  'The workspace already has {name}. Choose another name.':
    'De werkruimte heeft al {name}. Kies een andere naam.',
  'Letters A-Z, a-z, digits, hyphens and underscores, 1 to 63.':
    'Letters A-Z en a-z, cijfers, streepjes en lage streepjes, 1 tot 63.',
  'Leave without creating it?': 'Weggaan zonder te maken?',
  'The file was not imported yet. The proposal will be lost.':
    'Het bestand is nog niet geïmporteerd. Het voorstel gaat verloren.',
  Documents: 'Documenten',
  Synonyms: 'Synoniemen',
  Import: 'Importeren',
  Generations: 'Generaties',
  down: 'buiten werking',
  'This collection is down': 'Deze collectie is buiten werking',
  'Its queries and documents get status 503: {reason}':
    'Zoekvragen en documenten krijgen status 503: {reason}',
  '{count} documents': { one: '{count} document', other: '{count} documenten' },
  'Parts of the collection': 'Delen van de collectie',
  'Leave while the import runs?': 'Weggaan terwijl de import loopt?',
  'Cancel the import and leave': 'Import annuleren en weggaan',
  'Leaving cancels the import and keeps no documents.':
    'Als u weggaat, wordt de import geannuleerd en blijft er geen document bewaard.',
  'Leaving cancels the import. Documents that are already imported stay.':
    'Als u weggaat, wordt de import geannuleerd. Al geïmporteerde documenten blijven.',
  'Full text: found by its words, in its language.': 'Tekst: te vinden op woorden, in de taal ervan.',
  'A value as a whole, such as a category: for filters, facets and sorting.':
    'Een waarde als geheel, zoals een categorie: voor filters, facetten en sorteren.',
  'For filters, ranges, facets and sorting.': 'Voor filters, bereiken, facetten en sorteren.',
  'A date or time, such as 2026-01-31: for filters, ranges, facets and sorting.':
    'Een datum of tijd, zoals 2026-01-31: voor filters, bereiken, facetten en sorteren.',
  'true or false: for filters and facets.': 'true of false: voor filters en facetten.',
  'A place with lat and lon: for filters and sorting by distance.':
    'Een plaats met lat en lon: om te filteren en te sorteren op afstand.',
  'Numbers that stand for a meaning: for similarity.':
    'Getallen die een betekenis voorstellen: voor gelijkenis.',
  'Stored and returned, not searched.': 'Wordt bewaard en teruggegeven, niet doorzocht.',
  'The collection already has this field.': 'De collectie heeft dit veld al.',
  'The attribute of the documents. It cannot be changed later.':
    'Het attribuut van de documenten. Kan later niet worden gewijzigd.',
  'How people see the field, for example in facets. Empty: its name.':
    'Hoe mensen het veld zien, bijvoorbeeld in facetten. Leeg: de naam.',
  'Finds other forms of a word, such as its plural.':
    'Vindt andere vormen van een woord, zoals het meervoud.',
  'that of the collection ({language})': 'die van de collectie ({language})',
  Weight: 'Gewicht',
  'How much its words count: 1 if empty, 2 for twice as much.':
    'Hoe zwaar de woorden tellen: 1 als het leeg is, 2 voor dubbel.',
  Suggestions: 'Suggesties',
  'Keeps words as typed too, so that endpoints can complete them and forgive typos.':
    'Bewaart woorden ook zoals ze zijn getypt, zodat endpoints ze kunnen aanvullen en tikfouten vergeven.',
  Codes: 'Codes',
  'For part numbers and the like: AX-100/B is also found as ax100b and AX 100 B. No typo turns one code into another.':
    'Voor onderdeelnummers en dergelijke: AX-100/B wordt ook gevonden als ax100b en AX 100 B. Geen tikfout maakt van de ene code een andere.',
  Dimensions: 'Dimensies',
  'How many numbers each vector has, 1 to 4,096.': 'Hoeveel getallen elke vector heeft, 1 tot 4.096.',
  'Delete the field {name}?': 'Het veld {name} verwijderen?',
  'Only declared fields are searched. Other attributes of a document are stored and returned.':
    'Alleen gedeclareerde velden worden doorzocht. Andere attributen van een document worden bewaard en teruggegeven.',
  'No fields yet': 'Nog geen velden',
  'Add a text field to search its words.': 'Voeg een tekstveld toe om op woorden te zoeken.',
  Options: 'Opties',
  '{count} dimensions': '{count} dimensies',
  'language {language}': 'taal {language}',
  'weight {weight}': 'gewicht {weight}',
  suggestions: 'suggesties',
  codes: 'codes',
  'Promote the new generation to make it live': 'Zet de nieuwe generatie live',
  'See the documents': 'Documenten bekijken',
  'Edit stop words': 'Stopwoorden bewerken',
  'Stop words': 'Stopwoorden',
  'One word on each line, or with spaces or commas between.':
    'Eén woord per regel, of met spaties of komma’s ertussen.',
  'This collection has no stop words besides those of its language.':
    'Deze collectie heeft geen stopwoorden naast die van haar taal.',
  'Searches with other words ignore these stop words: {words}':
    'Zoekopdrachten met andere woorden negeren deze stopwoorden: {words}',
  'Add synonyms': 'Synoniemen toevoegen',
  'Edit synonyms': 'Synoniemen bewerken',
  Direction: 'Richting',
  'Both ways': 'Beide kanten op',
  'Each of them finds all the others.': 'Elk woord vindt alle andere.',
  'One way': 'Eén kant op',
  'For example, js also finds javascript, but javascript does not find js.':
    'Bijvoorbeeld: js vindt ook javascript, maar javascript vindt js niet.',
  'A search for': 'Zoeken naar',
  'Words and phrases': 'Woorden en woordgroepen',
  'One on each line, or with commas between. Several words are a phrase.':
    'Eén per regel, of met komma’s ertussen. Meerdere woorden vormen een woordgroep.',
  'One on each line, or a list with commas on each line; js => javascript is one way. Several words are a phrase.':
    'Eén per regel, of een lijst met komma’s per regel; js => javascript geldt in één richting. Meerdere woorden vormen een woordgroep.',
  'also finds': 'vindt ook',
  'One on each line, or with commas between.': 'Eén per regel, of met komma’s ertussen.',
  'Delete these synonyms?': 'Deze synoniemen verwijderen?',
  'A search for one word or phrase also finds the others.':
    'Zoeken naar één woord of woordgroep vindt ook de andere.',
  'No synonyms yet': 'Nog geen synoniemen',
  'Add words that people use for the same thing, such as tv and television.':
    'Voeg woorden toe die mensen voor hetzelfde gebruiken, zoals tv en televisie.',
  Words: 'Woorden',
  'both ways': 'beide kanten op',
  'one way': 'één kant op',
  'Id field': 'Id-veld',
  'The attribute with the id of each document. Empty: id. Applies to later imports.':
    'Het attribuut met het id van elk document. Leeg: id. Geldt voor latere imports.',
  'URI of a document': 'URI van een document',
  'Write {id} for the id, as in https://example.org/books/{id}. Ids that are URIs stay unchanged.':
    'Schrijf {id} voor het id, zoals in https://example.org/books/{id}. Ids die een URI zijn, blijven ongewijzigd.',
  Class: 'Klasse',
  'The type of the documents in results. Applies to later imports.':
    'Het type van de documenten in resultaten. Geldt voor latere imports.',
  'The same for all documents': 'Hetzelfde voor alle documenten',
  'The value of a field': 'De waarde van een veld',
  'Class URIs': "URI's van de klasse",
  'One per line.': 'Eén per regel.',
  'Class field': 'Veld met de klasse',
  'Of text fields that name none. It finds other forms of a word, such as its plural.':
    'Van tekstvelden die er geen noemen. Vindt andere vormen van een woord, zoals het meervoud.',
  Metric: 'Maat',
  'How near two vectors are. Take the one that your model was trained for.':
    'Hoe dicht twee vectoren bij elkaar liggen. Kies die waarvoor uw model is getraind.',
  'Cosine: the angle': 'Cosinus: de hoek',
  'Dot product: angle and length': 'Inproduct: hoek en lengte',
  'Euclidean: the distance': 'Euclidisch: de afstand',
  'Documents of this collection': 'Documenten van deze collectie',
  URI: 'URI',
  default: 'standaard',
  'value of {field}': 'waarde van {field}',
  'Distance from {name}': 'Afstand tot {name}',
  'All {count} values fit.': { one: 'De enige waarde past.', other: 'Alle {count} waarden passen.' },
  'Their documents stay as they are, but are not found by these values.':
    'Hun documenten blijven zoals ze zijn, maar worden niet met deze waarden gevonden.',
  '{misfits} of {values} values are no numbers like {form}: {examples}.':
    '{misfits} van de {values} waarden zijn geen getallen zoals {form}: {examples}.',
  '{misfits} of {values} values are no dates like {form}: {examples}.':
    '{misfits} van de {values} waarden zijn geen datums zoals {form}: {examples}.',
  '{misfits} of {values} values are neither true nor false: {examples}.':
    '{misfits} van de {values} waarden zijn niet true of false: {examples}.',
  '{misfits} of {values} values are no places like 52.37,4.89: {examples}.':
    '{misfits} van de {values} waarden zijn geen plaatsen zoals 52.37,4.89: {examples}.',
  '{misfits} of {values} values do not fit: {examples}.':
    '{misfits} van de {values} waarden passen niet: {examples}.',
  'Rows without a title are variants of the product above them. Their heading is the words of the handle, which searches find too, and their options. Facets, filters and row filters of the vendor, type and tags miss these rows: fill them in before the import.':
    'Rijen zonder titel zijn varianten van het product erboven. Hun kop is de woorden van de handle, die zoekopdrachten ook vinden, en hun opties. Facetten, filters en rijfilters van de leverancier, het type en de tags missen deze rijen: vul ze in vóór de import.',
  'How to fill them in': 'Hoe u ze invult',
  '{name} cannot have the type {type} yet': '{name} kan het type {type} nog niet hebben',
  'These need its present type. Change or delete them first:':
    'Deze hebben het huidige type nodig. Wijzig of verwijder ze eerst:',
  '{name} has uses that need its type. Change or delete these first:':
    '{name} wordt gebruikt waar het type nodig is. Wijzig of verwijder eerst:',
}
