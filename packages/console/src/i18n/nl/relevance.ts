import type { Catalog } from '#i18n/catalog.ts'

/** Relevance tests. */
export const relevance: Catalog = {
  'Delete configuration {name}': 'Configuratie {name} verwijderen',
  'Delete the configuration {name}?': 'De configuratie {name} verwijderen?',
  'Queries with config={name} fail then. Its documents stay.':
    'Zoekopdrachten met config={name} mislukken dan. De documenten blijven.',
  '“{query}” finds {documents} among the first {count}': '“{query}” vindt {documents} bij de eerste {count}',
  'Relevance tests': 'Relevantietests',
  'As each test says': 'Zoals elke test zegt',
  'Live (default)': 'Live (standaard)',
  'The file {path} is missing: add it above': 'Het bestand {path} ontbreekt: voeg het hierboven toe',
  'Add an endpoint that searches by words first.': 'Voeg eerst een endpoint toe dat op woorden zoekt.',
  'Add a test': 'Test toevoegen',
  'Kind of test': 'Soort test',
  'Documents that must be found': 'Te vinden documenten',
  'File of judgments': 'Bestand met beoordelingen',
  Query: 'Zoekvraag',
  'Other documents': 'Andere documenten',
  'Ids or URIs that must be found too, one per line.':
    'Id’s of URI’s die ook gevonden moeten worden, één per regel.',
  'Among the first': 'Bij de eerste',
  'Number of results that must contain all of them, from 1 to 1,000.':
    'Aantal resultaten waar ze allemaal bij moeten zitten, van 1 tot 1.000.',
  File: 'Bestand',
  'Its lines are query, document and grade from 0 to 10, separated by tabs. The path is relative to the workspace file.':
    'De regels zijn zoekvraag, document en cijfer van 0 tot 10, gescheiden door tabs. Het pad is ten opzichte van het werkruimtebestand.',
  Measure: 'Maat',
  'At least': 'Minstens',
  'From 0 to 1.': 'Van 0 tot 1.',
  'The test is added to the workspace file.': 'De test komt in het werkruimtebestand.',
  '{expected} documents do not fit among the first {count}.':
    '{expected} documenten passen niet bij de eerste {count}.',
  'Select the documents that people must find, or enter their ids.':
    'Kies de documenten die mensen moeten vinden, of vul hun id’s in.',
  'The query finds nothing yet. Enter the documents that it must find.':
    'De zoekvraag vindt nog niets. Vul de documenten in die gevonden moeten worden.',
  'Select the documents that people must find.': 'Kies de documenten die mensen moeten vinden.',
  'The first {count} results. Type more words to find others.':
    'De eerste {count} resultaten. Typ meer woorden om andere te vinden.',
  'Not among the first results': 'Niet bij de eerste resultaten',
  'Failed and changed queries': 'Mislukte en gewijzigde zoekvragen',
  'Failed queries': 'Mislukte zoekvragen',
  'Show {count} more queries': { one: 'Nog {count} zoekvraag tonen', other: 'Nog {count} zoekvragen tonen' },
  '{missing} of {expected} expected documents not found':
    '{missing} van {expected} verwachte documenten niet gevonden',
  'Try it: {query}': 'Uitproberen: {query}',
  'Judgments {path}': 'Beoordelingen {path}',
  '{count} judgments from {file}, kept in this browser only.': {
    one: '{count} beoordeling uit {file}, alleen in deze browser bewaard.',
    other: '{count} beoordelingen uit {file}, alleen in deze browser bewaard.',
  },
  'The server does not have this file of judgments. Drop it here, or choose it, to run its tests. It stays in this browser.':
    'De server heeft dit bestand met beoordelingen niet. Sleep het hierheen, of kies het, om de tests uit te voeren. Het blijft in deze browser.',
  Replace: 'Vervangen',
  'Choose the file': 'Bestand kiezen',
  'Delete {path}': '{path} verwijderen',
  '{file}, line {line}: {message}': '{file}, regel {line}: {message}',
  Expected: 'Verwacht',
  'grade {grade}': 'cijfer {grade}',
  'not among the first {count}': 'niet bij de eerste {count}',
  'found at rank {rank}': 'gevonden op plaats {rank}',
  Found: 'Gevonden',
  '{id} · expected': '{id} · verwacht',
  Nothing: 'Niets',
  '{id}: the live documents have none with this id': '{id}: er is geen live document met dit id',
  'Check that people find what they look for, before and after each change.':
    'Controleer of mensen vinden wat ze zoeken, voor en na elke wijziging.',
  'No tests yet': 'Nog geen tests',
  'A test names a query and the documents that people must find with it. Run all tests after each change of the search, and before you promote new documents.':
    'Een test noemt een zoekvraag en de documenten die mensen ermee moeten vinden. Voer alle tests uit na elke wijziging van het zoeken, en voordat u nieuwe documenten live zet.',
  'Or write them in the {file}; the command {command} runs them too.':
    'Of schrijf ze in het {file}; de opdracht {command} voert ze ook uit.',
  'Last result': 'Laatste resultaat',
  '{name} is not a saved result: {reason}': '{name} is geen bewaard resultaat: {reason}',
  Test: 'Test',
  'Compare with': 'Vergelijken met',
  'Last result, {moment}': 'Laatste resultaat, {moment}',
  'Last result (none yet)': 'Laatste resultaat (nog geen)',
  'Open a saved result': 'Bewaard resultaat openen',
  'Run tests': 'Tests uitvoeren',
  'Queries done': 'Zoekvragen gedaan',
  '{done} of {total} queries': '{done} van {total} zoekvragen',
  '{count} tests passed': { one: '{count} test geslaagd', other: '{count} tests geslaagd' },
  '{failed} failed, {passed} passed': '{failed} mislukt, {passed} geslaagd',
  ', {missing} not run': ', {missing} niet uitgevoerd',
  '{better} better, {worse} worse, {same} same': '{better} beter, {worse} slechter, {same} gelijk',
  'Save as JSON': 'Opslaan als JSON',
  'Save as JUnit': 'Opslaan als JUnit',
  'To test staged documents before you promote them, add a configuration that uses them.':
    'Voeg een configuratie toe die klaargezette documenten gebruikt, om ze te testen voordat u ze live zet.',
  'Add configuration {name}': 'Configuratie {name} toevoegen',
  Result: 'Resultaat',
  Change: 'Verschil',
  'Delete this test?': 'Deze test verwijderen?',
  'The test {name} is deleted from the workspace file.':
    'De test {name} verdwijnt uit het werkruimtebestand.',
  'Not run': 'Niet uitgevoerd',
  'Not run yet': 'Nog niet uitgevoerd',
  Passed: 'Geslaagd',
  'Leak tests': 'Lektests',
  'Run leak tests': 'Lektests uitvoeren',
  'Add a leak test': 'Lektest toevoegen',
  'Edit leak test': 'Lektest bewerken',
  'They name documents that a group or member must not see. The server runs them before each promotion, and promotes nothing if one fails.':
    'Ze noemen documenten die een groep of lid niet mag zien. De server voert ze voor elke promotie uit, en promoot niets als er één mislukt.',
  As: 'Als',
  'Must not see': 'Mag niet zien',
  'group {group}': 'groep {group}',
  'Documents that they see: {sees}. Documents that the query finds: {finds}.':
    'Documenten die zichtbaar zijn: {sees}. Documenten die de zoekvraag vindt: {finds}.',
  'Documents: {ids}': 'Documenten: {ids}',
  'The query suggests “{text}” because of them.': 'De zoekvraag stelt daardoor “{text}” voor.',
  'It must not find, count or suggest one of the documents.':
    'Die mag geen van de documenten vinden, tellen of voorstellen.',
  'Whose rights': 'Wiens rechten',
  'Somebody in one group': 'Iemand in één groep',
  'A member': 'Een lid',
  Group: 'Groep',
  'Documents that they must not see': 'Documenten die niet zichtbaar mogen zijn',
  'Add a field: documents with these values must stay hidden.':
    'Voeg een veld toe: documenten met deze waarden moeten verborgen blijven.',
  'All documents that match the condition on each field.':
    'Alle documenten die aan de voorwaarde van elk veld voldoen.',
  Better: 'Beter',
  Worse: 'Slechter',
  Same: 'Gelijk',
  'Edit the test': 'Test bewerken',
  'The test is changed in the workspace file.': 'De test wordt in het werkruimtebestand gewijzigd.',
}
