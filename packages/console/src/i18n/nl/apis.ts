import type { Catalog } from '#i18n/catalog.ts'

/** APIs, their endpoints and curation. */
export const apis: Catalog = {
  'Applications query APIs. Choose an endpoint to try it.':
    'Toepassingen zoeken via API’s. Kies een endpoint om het uit te proberen.',
  'No APIs yet': 'Nog geen API’s',
  'Applications query an API.': 'Toepassingen zoeken via een API.',
  'An administrator can add one in the workspace file.':
    'Een beheerder kan er een toevoegen in het werkruimtebestand.',
  public: 'openbaar',
  'members only': 'alleen leden',
  Endpoints: 'Endpoints',
  Curation: 'Curatie',
  'Try it': 'Uitproberen',
  'Full-text search': 'Zoeken in tekst',
  'Finds documents by words, the best first. It can complete words and forgive typos.':
    'Vindt documenten op woorden, de beste eerst. Het kan woorden aanvullen en tikfouten vergeven.',
  'Counts the values of a field, and filters by the chosen ones. It can group values into ranges.':
    'Telt de waarden van een veld, en filtert op de gekozen waarden. Het kan waarden in bereiken groeperen.',
  'Keeps documents with one value, fixed or given by the query, with any value, or without one.':
    'Houdt documenten met één waarde, vast of uit de zoekvraag, met een willekeurige waarde, of zonder waarde.',
  Range: 'Bereik',
  'Keeps documents between two numbers or dates that the query gives.':
    'Houdt documenten tussen twee getallen of datums die de zoekvraag geeft.',
  'Area on the map': 'Gebied op de kaart',
  'Keeps documents with a place in a box or a polygon: a fixed one, or one that the query gives.':
    'Houdt documenten met een plaats in een rechthoek of veelhoek: een vaste, of een die de zoekvraag geeft.',
  Area: 'Gebied',
  'The query gives a box or a polygon': 'De zoekvraag geeft een rechthoek of veelhoek',
  'A fixed box': 'Een vaste rechthoek',
  'A fixed polygon': 'Een vaste veelhoek',
  'Parameter with the box': 'Parameter met de rechthoek',
  'Parameter with the polygon': 'Parameter met de veelhoek',
  Box: 'Rechthoek',
  Polygon: 'Veelhoek',
  'South, west, north and east in degrees, separated by commas.':
    'Zuid, west, noord en oost in graden, gescheiden door komma’s.',
  'Latitude and longitude of each corner in turn, in degrees, separated by commas.':
    'Om de beurt breedte en lengte van elk hoekpunt in graden, gescheiden door komma’s.',
  'Sort order': 'Volgorde',
  'Orders the results by a field, or by distance from a place.':
    'Ordent de resultaten op een veld, of op afstand tot een plaats.',
  Boost: 'Boost',
  'Ranks documents higher by a value, a number, their age or their distance.':
    'Zet documenten hoger op grond van een waarde, een getal, hun leeftijd of hun afstand.',
  'All documents': 'Alle documenten',
  'Returns every document of a collection, to filter and sort.':
    'Geeft elk document van een collectie, om te filteren en te sorteren.',
  'One document': 'Eén document',
  'Returns the document with the id that the query gives.': 'Geeft het document met het id uit de zoekvraag.',
  'Similar documents': 'Vergelijkbare documenten',
  'Nearest by meaning': 'Het dichtst bij qua betekenis',
  'Finds the documents whose vectors are nearest.':
    'Vindt de documenten waarvan de vectoren het dichtst bij liggen.',
  'Mix of searches': 'Mix van zoek-endpoints',
  'Combines the rankings of several search endpoints, each with its weight.':
    'Combineert de rangschikkingen van meerdere zoek-endpoints, elk met een eigen gewicht.',
  'Any of several filters': 'Een van meerdere filters',
  'Keeps documents that at least one of several filters keeps, or those that none keeps.':
    'Houdt documenten die minstens één van meerdere filters houdt, of die geen ervan houdt.',
  'What applications can ask this API, and which documents come first.':
    'Wat toepassingen deze API kunnen vragen, en welke documenten vooraan staan.',
  'Parts of the API': 'Delen van de API',
  Value: 'Waarde',
  'Documents with this value rank higher. Empty: newer documents rank higher.':
    'Documenten met deze waarde komen hoger. Leeg: nieuwere documenten komen hoger.',
  'Documents with this value rank higher.': 'Documenten met deze waarde komen hoger.',
  'Half-life': 'Halveringstijd',
  'Factor 2 for now, falling to 1: half of the way in each half-life, such as 30d or 12h.':
    'Factor 2 voor nu, dalend naar 1: de helft van de weg in elke halveringstijd, zoals 30d of 12h.',
  'Multiply by': 'Vermenigvuldigen met',
  'A factor, for one value': 'Een factor, voor één waarde',
  'The number, slowly (logarithm)': 'Het getal, langzaam (logaritme)',
  'The number': 'Het getal',
  Factor: 'Factor',
  '2 doubles the score; up to 1,000.': '2 verdubbelt de score; hoogstens 1.000.',
  'Half distance': 'Halveringsafstand',
  'Factor 2 at the place, falling to 1: half of the way in each distance, such as 5km.':
    'Factor 2 op de plaats zelf, dalend naar 1: de helft van de weg per afstand, zoals 5km.',
  Latitude: 'Breedtegraad',
  'Empty: the query gives the place.': 'Leeg: de zoekvraag geeft de plaats.',
  Longitude: 'Lengtegraad',
  'In degrees (WGS 84).': 'In graden (WGS 84).',
  'A rule places documents first or last for the text of a query.':
    'Een regel zet documenten vooraan of achteraan bij de tekst van een zoekvraag.',
  'Add rule': 'Regel toevoegen',
  'Choose a document that comes first or last.': 'Kies een document dat vooraan of achteraan komt.',
  '{id} cannot be both first and last.': '{id} kan niet zowel vooraan als achteraan komen.',
  'There is a rule for this text already: edit that one.': 'Er is al een regel voor deze tekst: bewerk die.',
  'No rules yet': 'Nog geen regels',
  'Add a rule to pin the documents that people should find first.':
    'Voeg een regel toe om documenten vooraan te zetten die mensen het eerst moeten vinden.',
  'Rules change the results of a full-text search. Add such an endpoint first.':
    'Regels veranderen de resultaten van zoeken in tekst. Voeg eerst zo’n endpoint toe.',
  Rules: 'Regels',
  'every text': 'elke tekst',
  'First:': 'Vooraan:',
  'Last:': 'Achteraan:',
  'Its name in the address of a query. Empty: {initial}.':
    'De naam in het adres van een zoekvraag. Leeg: {initial}.',
  'All text fields': 'Alle tekstvelden',
  'Also those that you add later.': 'Ook velden die u later toevoegt.',
  'The API already has this endpoint.': 'De API heeft dit endpoint al.',
  'Letters A-Z, a-z, digits, hyphens and underscores, 1 to 63; not e, p or options.':
    'Letters A-Z, a-z, cijfers, streepjes en liggende streepjes, 1 tot 63; niet e, p of options.',
  'Add endpoint': 'Endpoint toevoegen',
  Facets: 'Facetten',
  Kind: 'Soort',
  'Part of the address of a query, made from the title below if you do not type one. It cannot be changed later.':
    'Deel van het adres van een zoekvraag, gemaakt van de titel hieronder als u er geen typt. Kan later niet worden gewijzigd.',
  'Part of the address of a query. It cannot be changed later.':
    'Deel van het adres van een zoekvraag. Kan later niet worden gewijzigd.',
  'Edit {name}: {kind}': '{name} bewerken: {kind}',
  'Delete API': 'API verwijderen',
  'Delete the API {name}?': 'De API {name} verwijderen?',
  'Applications that query it get status 404 at once. The documents stay.':
    'Toepassingen die hem bevragen, krijgen meteen status 404. De documenten blijven.',
  'Delete the endpoint {name}?': 'Het endpoint {name} verwijderen?',
  'The collection has no field that this kind can use.':
    'De collectie heeft geen veld dat deze soort kan gebruiken.',
  'Parameter with the id': 'Parameter met het id',
  'Parameter with the value': 'Parameter met de waarde',
  'Parameter with the lower end': 'Parameter met de ondergrens',
  'Parameter with the upper end': 'Parameter met de bovengrens',
  Order: 'Volgorde',
  'By distance, the nearest come first. Documents without a value come last.':
    'Op afstand komen de dichtstbijzijnde eerst. Documenten zonder waarde komen het laatst.',
  Ascending: 'Oplopend',
  Descending: 'Aflopend',
  'Parameter with the vector': 'Parameter met de vector',
  'How people see it. Empty: its name.': 'Hoe mensen het zien. Leeg: de naam.',
  'that of the endpoints before it': 'die van de endpoints ervoor',
  'Applications use endpoints by their names: a search, then filters, facets and a sort order.':
    'Toepassingen gebruiken endpoints op naam: een zoek-endpoint, dan filters, facetten en een volgorde.',
  'No endpoints yet': 'Nog geen endpoints',
  'Add a full-text search first.': 'Voeg eerst zoeken in tekst toe.',
  Endpoint: 'Endpoint',
  'Each value': 'Elke waarde',
  'Ranges of your own': 'Eigen bereiken',
  Intervals: 'Intervallen',
  'A hierarchy of paths': 'Een hiërarchie van paden',
  Interval: 'Interval',
  'Weeks start on Monday.': 'Weken beginnen op maandag.',
  'Time zone': 'Tijdzone',
  'In which intervals begin, such as Europe/Amsterdam. Empty: UTC.':
    'Waarin intervallen beginnen, zoals Europe/Amsterdam. Leeg: UTC.',
  'Count documents without a value': 'Documenten zonder waarde tellen',
  'As an option with an empty value.': 'Als optie met een lege waarde.',
  Statistics: 'Statistieken',
  'The smallest, the largest and the average value, and the sum of numbers.':
    'De kleinste, de grootste en de gemiddelde waarde, en de som van getallen.',
  'With one value': 'Met één waarde',
  'With any value': 'Met een willekeurige waarde',
  'Without a value': 'Zonder waarde',
  'The size of each group: 10 gives 0 to 10, 10 to 20 and so on.':
    'De grootte van elke groep: 10 geeft 0 tot 10, 10 tot 20 enzovoort.',
  Separator: 'Scheidingsteken',
  'Between the levels: the path Holland > Amsterdam has " > ".':
    'Tussen de niveaus: het pad Holland > Amsterdam heeft " > ".',
  'Parameter with the chosen values': 'Parameter met de gekozen waarden',
  Ranges: 'Bereiken',
  'Each range is from its first value to before its end. Leave one empty for no limit.':
    'Elk bereik loopt van de eerste waarde tot vóór het einde. Laat er een leeg voor geen grens.',
  'From {number}': 'Van {number}',
  'To {number}': 'Tot {number}',
  'Delete range {number}': 'Bereik {number} verwijderen',
  'Add range': 'Bereik toevoegen',
  'Complete the last word': 'Het laatste woord aanvullen',
  'For results while people type.': 'Voor resultaten terwijl mensen typen.',
  'Also find parts of words': 'Ook delen van woorden vinden',
  'A search for proof also finds waterproof, after all other results. Words of three letters or more.':
    'Zoeken naar koker vindt ook waterkoker, na alle andere resultaten. Woorden van drie letters of meer.',
  Typos: 'Tikfouten',
  'Swapped neighbors count as one typo, a wrong first letter as two.':
    'Verwisselde buurletters tellen als één tikfout, een verkeerde eerste letter als twee.',
  None: 'Geen',
  'One from 4 letters, two from 8': 'Eén vanaf 4 letters, twee vanaf 8',
  'Other lengths': 'Andere lengtes',
  'Letters for one typo': 'Letters voor één tikfout',
  'Letters for two typos': 'Letters voor twee tikfouten',
  'Words that a document must have': 'Woorden die een document moet hebben',
  'At least one': 'Minstens één',
  All: 'Alle',
  'All, or fewer if nothing has them all': 'Alle, of minder als niets ze allemaal heeft',
  'Documents whose whole text is the query come first':
    'Documenten waarvan de hele tekst de zoekvraag is, komen vooraan',
  'With completion or typos': 'Bij aanvullen of tikfouten',
  Always: 'Altijd',
  'Parameter with the words': 'Parameter met de woorden',
  'Searches and their weights': 'Zoek-endpoints en hun gewichten',
  'Weight of {part}': 'Gewicht van {part}',
  'Boosts of every search': 'Boosts van elke zoekopdracht',
  'With completion or typos they decide between equally good matches.':
    'Met aanvullen of typefouten beslissen ze tussen even goede resultaten.',
  'Combine scores instead of ranks': 'Scores combineren in plaats van rangen',
  Filters: 'Filters',
  'Several conditions on one element': 'Meerdere voorwaarden op één element',
  'Keeps documents of which one element of a list of objects passes all of several filters.':
    'Houdt documenten waarvan één element van een lijst van objecten aan alle van meerdere filters voldoet.',
  'One result per value': 'Eén resultaat per waarde',
  'Keeps the best documents for each value of a field, such as one per product.':
    'Houdt de beste documenten voor elke waarde van een veld, zoals één per product.',
  'Documents per value': 'Documenten per waarde',
  'Up to 10. Empty: 1.': 'Hoogstens 10. Leeg: 1.',
  'List of facets': 'Lijst van facetten',
  'Lists the facets that have values in the result, to show only those.':
    'Noemt de facetten die waarden hebben in het resultaat, om alleen die te tonen.',
  'The query chooses the field': 'De zoekvraag kiest het veld',
  'Parameter with the field': 'Parameter met het veld',
  'Of one type, up to 20.': 'Van één type, hoogstens 20.',
  'Count collapsed results': 'Samengevoegde resultaten tellen',
  'One for all documents that a "one result per value" endpoint before it keeps as one.':
    'Eén voor alle documenten die een endpoint "Eén resultaat per waarde" ervoor als één houdt.',
  'None: all facets.': 'Geen: alle facetten.',
  'Add a filter, range or facet first.': 'Voeg eerst een filter, bereik of facet toe.',
  'Keep what none of them keeps': 'Houden wat geen ervan houdt',
  'Edit rule': 'Regel bewerken',
  'Text of the query': 'Tekst van de zoekvraag',
  'The whole text. Case and spaces do not matter. Empty: every text.':
    'De hele tekst. Hoofdletters en spaties maken niet uit. Leeg: elke tekst.',
  'Last in the results': 'Achteraan in de resultaten',
  'Ids or URIs of documents, one on each line.': 'Id’s of URI’s van documenten, één per regel.',
  'First in the results': 'Vooraan in de resultaten',
  Document: 'Document',
  'Its id or URI, or words to find it by.': 'Het id of de URI, of woorden om het te vinden.',
  Choose: 'Kiezen',
  'Choose {title}': '{title} kiezen',
  'Words that it has, or its id or URI.': 'Woorden eruit, of het id of de URI.',
  'Choose a document for “{text}”, or clear the field.':
    'Kies een document voor “{text}”, of maak het veld leeg.',
  'Place {title} first': '{title} vooraan zetten',
  'Place {title} last': '{title} achteraan zetten',
  First: 'Vooraan',
  Last: 'Achteraan',
  '{id} (no document)': '{id} (geen document)',
  'No document has the id {id} yet. The rule takes effect when one comes.':
    'Nog geen document heeft het id {id}. De regel gaat werken zodra er een komt.',
  'Delete this rule?': 'Deze regel verwijderen?',
  'Fixed value': 'Vaste waarde',
  'Empty: the query gives the value.': 'Leeg: de zoekvraag geeft de waarde.',
  'Create API': 'API maken',
  'Create one, then add a full-text search to it.': 'Maak er een, en voeg er zoeken in tekst aan toe.',
  'No endpoints yet.': 'Nog geen endpoints.',
  'Finds documents like the one whose id the query gives, by their words or by their vectors.':
    'Vindt documenten die lijken op dat met het id uit de zoekvraag, door hun woorden of hun vectoren.',
  'The workspace already has this API.': 'De werkruimte heeft deze API al.',
  'Letters A-Z, a-z, digits, hyphens and underscores, 1 to 63.':
    'Letters A-Z, a-z, cijfers, koppeltekens en lage streepjes, 1 tot 63.',
  'Members only': 'Alleen leden',
  'Queries need an access token of a member or a System-to-System account.':
    'Zoekvragen hebben een access token nodig van een lid of een System-to-System-account.',
  Public: 'Openbaar',
  'Anyone can query without a token, and sees all documents of its collections.':
    'Iedereen kan zonder token zoeken, en ziet alle documenten van de collecties.',
  'Edit title and access': 'Titel en toegang bewerken',
  'Most results': 'Hoogste aantal resultaten',
  '1 to 10,000. Empty: 1,000.': '1 tot 10.000. Leeg: 1.000.',
  'Least similarity': 'Kleinste gelijkenis',
  '0 to 1. Less similar documents are left out.': '0 tot 1. Minder gelijkende documenten vallen weg.',
  Compare: 'Vergelijken',
  'The words of text fields': 'De woorden van tekstvelden',
  'The vectors of {field}': 'De vectoren van {field}',
}
