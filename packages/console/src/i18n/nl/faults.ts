/** Dutch texts of the server's faults, by their codes. English is what the server writes. */
import type { FaultCode, HintCode, RequirementCode } from '@querent/contract/fault-texts'
import { fileFaultTexts, fileRequirementTexts } from './file-faults.ts'

export const requirementTexts: Readonly<Record<RequirementCode, string>> = {
  choice: '{choices}',
  email: 'een e-mailadres',
  'url-name': '1 tot 63 tekens uit a-z 0-9 -',
  name: 'een naam van 1 tot 63 tekens uit A-Z a-z 0-9 - _',
  'account-name': 'een naam van 1 tot 200 tekens, op één regel en zonder spaties aan het begin of einde',
  'filter-name': 'de naam van een endpoint, of van het filter van een facet, zoals genre:FILTER',
  'one-line': 'een naam van één regel',
  length: 'tekst van {min} tot {max} tekens',
  number: 'een getal',
  'number-from': 'een getal van minstens {min}',
  'number-between': 'een getal van {min} tot en met {max}',
  'number-above': 'een getal groter dan {min}',
  'number-above-up-to': 'een getal groter dan {min}, hoogstens {max}',
  'whole-number': 'een geheel getal',
  'whole-number-from': 'een geheel getal van minstens {min}',
  'whole-number-between': 'een geheel getal van {min} tot en met {max}',
  'list-length': 'een lijst van {min} tot {max} regels',
  'list-from': 'een lijst van minstens {min}',
  'absolute-uri': 'een volledige URI zonder jokertekens',
  'uri-without-fragment': 'een volledige URI zonder "#"',
  'uri-without-user': 'een volledige URI zonder gebruikersnaam of wachtwoord',
  'loopback-http': 'https, of http op {hosts}',
  'native-uri-scheme':
    'https, http op een loopback-adres, een eigen schema met een punt, zoals org.example.app:/callback, of een schema van een bekende toepassing: {schemes}',
  'web-uri-scheme':
    'https, of http op een loopback-adres (alleen een native toepassing mag een eigen schema gebruiken)',
  audience: 'de URL van de queryservice, of van een API daaronder, zonder query en fragment',
  origin: 'een origin zoals https://example.org',
  'origin-without-wildcard': 'een origin zonder jokertekens, zoals https://example.org',
  'bare-origin': 'alleen de origin: {origin}',
  'brand-url': "een https://-adres zonder gebruikersnaam, aanhalingstekens, komma's of puntkomma's",
  'ip-range': 'een IP-adres of een reeks zoals 192.0.2.0/24',
  'storable-text': 'tekst zonder het teken U+0000 en zonder losse surrogaten',
  'duration-between': 'van {min} tot {max}',
  'id-template': 'een volledige URI die {id} één keer bevat, zoals https://example.org/{id}',
  'keyword-value': 'elke tekst',
  'number-value': 'een decimaal getal, zoals 12, -0.5 of 1e6',
  'boolean-value': 'true of false',
  'date-value': 'een datum volgens RFC 3339, zoals 2024-01-31 of 2024-01-31T12:00:00Z',
  'typo-length': 'minstens {min}, de lengte van woorden met één typefout',
  'exact-interval': 'een getal met hoogstens 6 decimalen en 15 cijfers',
  'time-zone': 'de naam van een tijdzone, zoals Europe/Amsterdam of America/New_York',
  ...fileRequirementTexts,
}

export const faultTexts: Readonly<Record<FaultCode, string>> = {
  'not-allowed': '{found} kan niet. Toegestaan: {allowed}',
  'duplicate-item': '{found} staat er twee keer in',
  'unknown-collection': 'de collectie "{found}" bestaat niet; er zijn: {names}',
  'unknown-field': 'het veld "{found}" bestaat niet; er zijn: {names}',
  'unknown-endpoint': 'het endpoint "{found}" bestaat niet; er zijn: {names}',
  'unknown-boost': 'de boost "{found}" bestaat niet; er zijn: {names}',
  'boost-needs-parameter':
    'de boost "{found}" heeft de parameters lat en lon nodig, die een zoekopdracht die vanzelf boost niet heeft; geef een plaats (from), of kies een andere: {names}',
  'unknown-match-endpoint': 'het match-endpoint "{found}" bestaat niet; er zijn: {names}',
  'unknown-filter': 'het filter "{found}" bestaat niet; er zijn: {names}',
  'unknown-together-field': 'er is geen object met together: true "{found}"; er zijn: {names}',
  'wrong-together-part':
    '"{found}" is geen voorwaarde op een waarde van {field}; toegestaan: filters, ranges, areas en facetten zonder missing: {names}',
  'unknown-facet': 'het facet met een eigen veld "{found}" bestaat niet; er zijn: {names}',
  'wrong-filter-kind': '"{found}" is van soort {kind}; any combineert filters en ranges: {names}',
  'unknown-row-filter-field': 'het veld "{found}" bestaat niet; een rijfilter kan op: {names}',
  'wrong-row-filter-field': 'het veld "{found}" heeft type {type}; een rijfilter kan op: {names}',
  'wrong-field-type': 'het veld "{found}" heeft type {type}; {kind} werkt op {types}: {names}',
  'no-text-field': 'de collectie "{collection}" heeft geen tekstveld voor {kind}',
  'mixed-vector-fields':
    'het veld "{found}" heeft type vector; toegestaan: tekstvelden, of alleen één vectorveld',
  'reserved-endpoint-name':
    '"{found}" heeft in het pad van een query een eigen betekenis; toegestaan: elke naam behalve {names}',
  'same-parameter': 'twee parameters heten "{found}"; toegestaan: twee verschillende namen',
  'several-collections':
    '"{found}" werkt op "{collection}", maar de delen ervoor op "{first}"; toegestaan: één collectie',
  'zone-without-interval': 'een tijdzone vraagt een interval van datums: year, month, week, day of hour',
  'empty-range': '{found} is leeg; het begin ligt onder het einde',
  'overlapping-range': '{found} overlapt {other}; het einde hoort niet bij de groep',
  'already-a-member': 'is al lid van deze werkruimte',
  'own-email': 'is al uw adres',
  'unsupported-address':
    'de mailserver kan niet sturen naar adressen met letters buiten ASCII voor de @ (SMTPUTF8 ontbreekt)',
  'wrong-password': 'is niet uw wachtwoord',
  'same-password': 'is al uw wachtwoord: kies een ander',
  'password-too-short': 'te kort, toegestaan: minstens {min} tekens',
  'password-too-long': 'te lang, toegestaan: hoogstens {max} bytes',
  'password-keyboard': 'makkelijk te raden: toetsen naast elkaar; gebruik meerdere woorden',
  'password-repeated': 'makkelijk te raden: herhaalde tekens; gebruik meerdere woorden',
  'password-sequence': 'makkelijk te raden: een reeks; gebruik meerdere woorden',
  'password-date': 'makkelijk te raden: een datum; gebruik meerdere woorden',
  'password-common': 'makkelijk te raden: een veelgebruikt wachtwoord; gebruik meerdere woorden',
  'password-single-word': 'makkelijk te raden: één woord; gebruik meerdere woorden',
  'password-name': 'makkelijk te raden: een naam; gebruik meerdere woorden',
  'password-personal': 'makkelijk te raden: uw eigen naam of adres; gebruik meerdere woorden',
  'password-guessable': 'makkelijk te raden; gebruik meerdere woorden',
  ...fileFaultTexts,
}

export const hintTexts: Readonly<Record<HintCode, string>> = {
  suggestion: '; bedoelt u "{suggestion}"?',
  'quote-scalar': '; zet tekst die op een getal, true of false lijkt tussen aanhalingstekens',
  'quote-text': '; zet tekst met ": ", " #" of een van { } [ ] * & @ % ` tussen aanhalingstekens',
  'colon-space': '; na de dubbele punt hoort een spatie',
  'id-field': '. Dit veld is de id: een tekst of een getal',
}

/** Values in words, by the English words of the server. */
export const valueTexts: Readonly<Record<string, string>> = {
  nothing: 'niets',
  none: 'geen',
  'a list': 'een lijst',
  'a mapping': 'een mapping',
}
