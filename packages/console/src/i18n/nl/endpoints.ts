import type { Catalog } from '#i18n/catalog.ts'

/** Endpoints in sentences, and who can read a document. */
export const endpoints: Catalog = {
  Searches: 'Zoekopdrachten',
  'Filters and facets': 'Filters en facetten',
  'Order and ranking': 'Volgorde en rangschikking',
  'Find an endpoint': 'Endpoint zoeken',
  'What it does': 'Wat het doet',
  'Finds {collection} by words in {fields}, also by the beginning of the last word':
    'Vindt {collection} op woorden in {fields}, ook op het begin van het laatste woord',
  'Finds {collection} by words in all text fields, also by the beginning of the last word':
    'Vindt {collection} op woorden in alle tekstvelden, ook op het begin van het laatste woord',
  'Finds {collection} by words in {fields}': 'Vindt {collection} op woorden in {fields}',
  'Finds {collection} by words in all text fields': 'Vindt {collection} op woorden in alle tekstvelden',
  'Finds {collection} by meaning, with the vectors of {field}':
    'Vindt {collection} op betekenis, met de vectoren van {field}',
  'Combines the rankings of {parts}': 'Combineert de rangschikkingen van {parts}',
  'Finds {collection} like a given one': 'Vindt {collection} die op een gegeven document lijken',
  'Returns all {collection}': 'Geeft alle {collection}',
  'Returns one document of {collection} by its id': 'Geeft één document van {collection} op id',
  'Counts the values of {fields}, and filters by them': 'Telt de waarden van {fields}, en filtert erop',
  'Lists the facets {facets} that have values': 'Geeft de facetten {facets} die waarden hebben',
  'Lists the facets that have values': 'Geeft de facetten die waarden hebben',
  'Keeps documents whose {field} is {value}': 'Houdt documenten over waarvan {field} {value} is',
  'Keeps documents by a value of {field}': 'Houdt documenten over met een waarde van {field}',
  'Keeps documents with {field} in a range': 'Houdt documenten over met {field} in een bereik',
  'Keeps documents whose {field} is in an area of the map':
    'Houdt documenten over waarvan {field} in een gebied op de kaart ligt',
  'Keeps documents of which one of {field} passes {parts}':
    'Houdt documenten over waarvan één van {field} aan {parts} voldoet',
  'Keeps documents that pass one of {parts}': 'Houdt documenten over die aan een van {parts} voldoen',
  'Sorts by {field}, the highest first': 'Sorteert op {field}, de hoogste eerst',
  'Sorts by {field}, the lowest first': 'Sorteert op {field}, de laagste eerst',
  'Sorts by the distance of {field}, the nearest first':
    'Sorteert op de afstand van {field}, de dichtstbijzijnde eerst',
  'Sorts by the distance of {field}, the farthest first':
    'Sorteert op de afstand van {field}, de verste eerst',
  'Keeps documents whose {field} is near a place':
    'Houdt documenten over waarvan {field} dicht bij een plaats ligt',
  'Ranks documents higher by {field}': 'Zet documenten hoger op grond van {field}',
  'Shows the best document of each {field}': 'Toont het beste document van elke {field}',
  'Who can read this?': 'Wie kan dit lezen?',
  'Everybody: a public API shows it.': 'Iedereen: een openbare API toont het.',
  'Groups: {groups}': 'Groepen: {groups}',
  'groups: {groups}': 'groepen: {groups}',
  Member: 'Lid',
  Through: 'Via',
  'No member can read it.': 'Geen lid kan het lezen.',
  'administrators see everything': 'beheerders zien alles',
  'their own filter': 'een eigen filter',
  'a group': 'een groep',
  'no filter holds': 'er geldt geen filter',
  'named as {name}': 'genoemd als {name}',
  'Why can somebody read it, or not?': 'Waarom kan iemand het wel of niet lezen?',
  'E-mail address or Client ID': 'E-mailadres of Client ID',
  Explain: 'Uitleggen',
  '{name} can read it.': '{name} kan het lezen.',
  '{name} can read it, because a public API shows it.':
    '{name} kan het lezen, omdat een openbare API het toont.',
  '{name} cannot read it.': '{name} kan het niet lezen.',
  '{source}: {field} must be {allowed}, and is {found}':
    '{source}: {field} moet {allowed} zijn, en is {found}',
  'not {values}': 'niet {values}',
  'one of the member’s values of {attribute}': 'een van de waarden die het lid voor {attribute} heeft',
  'up to {to}': 'hoogstens {to}',
  'from {from}': 'minstens {from}',
  'from {from} to {to}': 'van {from} tot en met {to}',
  'Hidden fields: {fields}': 'Verborgen velden: {fields}',
  Readers: 'Lezers',
  'Preview as this group': 'Bekijken als deze groep',
  'You see what somebody in this group only would see.':
    'U ziet wat iemand zou zien die alleen in deze groep zit.',
  'Document {id}': 'Document {id}',
}
