import type { Catalog } from '#i18n/catalog.ts'

/** The page "Requests". */
export const requests: Catalog = {
  'values of {facet}': 'waarden van {facet}',
  '{count} requests with the facets': '{count} verzoeken met de facetten',
  Requests: 'Verzoeken',
  Request: 'Verzoek',
  Answer: 'Antwoord',
  Duration: 'Duur',
  'Failed: {code}': 'Mislukt: {code}',
  'The client had it already': 'De client had het al',
  'Refused: {reason}': 'Geweigerd: {reason}',
  'The last 500 queries and refused requests, newest first. The server keeps queries in its memory only.':
    'De laatste 500 zoekvragen en geweigerde verzoeken, de nieuwste eerst. De server bewaart zoekvragen alleen in het geheugen.',
  Continue: 'Doorgaan',
  Pause: 'Pauzeren',
  'No requests yet': 'Nog geen verzoeken',
  'They appear here as soon as they come.': 'Ze verschijnen hier zodra ze binnenkomen.',
  'No requests found': 'Geen verzoeken gevonden',
  '{count} requests': { one: '{count} verzoek', other: '{count} verzoeken' },
  'Text, account, reason or request ID': 'Tekst, account, reden of verzoek-ID',
  'At least {count} results': {
    one: 'Minstens {count} resultaat',
    other: 'Minstens {count} resultaten',
  },
  'With results': 'Met resultaten',
  'Other nodes answer the queries of this server, so that only refused requests are listed here.':
    'Andere nodes beantwoorden de zoekvragen van deze server; daarom staan hier alleen geweigerde verzoeken.',
  'The query log is off, so the list has no search texts, and Try it cannot open these searches.':
    'Het zoeklogboek staat uit, dus de lijst heeft geen zoekteksten, en Uitproberen kan deze zoekopdrachten niet openen.',
  'The query log stores hashes only, so the list has no search texts, and Try it cannot open these searches.':
    'Het zoeklogboek bewaart alleen hashes, dus de lijst heeft geen zoekteksten, en Uitproberen kan deze zoekopdrachten niet openen.',
}
