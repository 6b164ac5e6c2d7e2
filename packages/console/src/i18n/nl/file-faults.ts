/** Dutch texts of what is wrong in a workspace file, by the codes of `file-fault-texts.ts`. */
import type {
  fileFaultTexts as englishFaults,
  fileRequirementTexts as englishRequirements,
  fileWarningTexts as englishWarnings,
} from '@querent/contract/file-fault-texts'

export const fileRequirementTexts: Readonly<Record<keyof typeof englishRequirements, string>> = {
  text: 'tekst',
  null: 'null',
  list: 'een lijst',
  mapping: 'een mapping',
  'mapping-with': 'een mapping met {keys}',
  'tagged-mapping': 'een mapping met "{tag}": {tags}',
  'choice-list': 'een lijst van minstens {min} ({choices})',
  color: 'een kleur zoals #0b5fff',
  metric: 'ndcg@10, mrr@10, precision@5 of recall@100',
  'half-life': 'een aantal minuten (m), uren (h) of dagen (d), zoals 12h of 30d',
  distance: 'een afstand in m, km of mi, zoals 5km',
  'membership-end': 'een datum, of een tijd zoals 2027-01-01T18:00:00Z',
  separator: 'een teken dat geen deel van een getal is, zoals ; of |',
  'date-format':
    'een vorm van de letters y M d H m s a, zoals dd.MM.yyyy of MMM d yyyy, of epoch-seconds, epoch-milliseconds',
  issuer: 'een https://-URL zonder query en fragment, zoals https://login.example.org',
  domain: 'een domein zoals example.org. Subdomeinen zijn eigen domeinen',
  circle:
    'breedte, lengte en afstand (in m, km of mi; zonder eenheid: m), zoals 52.37,4.89,10km; in een tuplelijst tussen aanhalingstekens, zoals 1("52.37,4.89,10km")',
  box: 'zuid, west, noord en oost in graden, zuid hoogstens noord, zoals 52.3,4.8,52.4,5',
  polygon:
    'om de beurt breedte en lengte in graden van 3 tot 1.000 verschillende hoekpunten, zoals 52.3,4.8,52.4,4.9,52.3,5',
  'number-range-end': 'een getal, zoals 12, -0.5 of 1e6',
  'date-range-end': 'een datum, zoals 2024, 2024-05, 2024-05-13, 2024-05-13T10 of 2024-05-13T10:30:00Z',
}

export const fileFaultTexts: Readonly<
  Record<keyof typeof englishFaults | keyof typeof englishWarnings, string>
> = {
  'unknown-key': 'onbekende sleutel "{key}"; toegestaan: {names}',
  'misspelled-key': 'onbekende sleutel "{key}"',
  'missing-key': '"{key}" ontbreekt; toegestaan: {allowed}',
  'too-few-entries': 'er is er geen. Toegestaan: minstens {min}',
  'too-many-entries': 'er zijn er {count}. Toegestaan: hoogstens {max}',
  'unknown-api': 'de API "{found}" bestaat niet; er zijn: {names}',
  'unknown-ranking-endpoint': 'geen endpoint "{found}" dat op tekst rangschikt; er zijn: {names}',
  'ambiguous-endpoint': 'meerdere API\'s hebben "{found}": voeg `api` toe, een van: {names}',
  'unknown-parameter': '"{endpoint}" heeft geen parameter "{found}"; er zijn: {names}',
  'unknown-text-field': 'het tekstveld "{found}" bestaat niet; er zijn: {names}',
  'unknown-field-in': 'het veld "{found}" bestaat niet; er zijn: {names} (in {collections})',
  'value-and-parameter':
    '"value" en "parameter" kunnen niet samen; toegestaan: een van beide, een vaste waarde of een parameter',
  'wrong-boost-keys':
    '{found} kan niet. Toegestaan: value met een getal in "by"; of by: log of linear; of halfLife; of halfDistance',
  'missing-boost-rule':
    'er is geen regel. Toegestaan: value met een getal in "by"; of by: log of linear; of halfLife; of halfDistance',
  'wrong-part-kind': '"{found}" is van soort {kind}; een mix combineert {kinds}: {names}',
  'several-groupings': '{found} kunnen niet samen. Toegestaan: een daarvan',
  'opposite-corners':
    'de hoekpunten {first} en {second} liggen recht tegenover elkaar op aarde: voeg een hoekpunt ertussen toe',
  'crossing-edges':
    'de zijde {first} kruist of raakt de zijde {second}; toegestaan: zijden die elkaar alleen in gedeelde hoekpunten raken',
  'duplicate-member': 'het lid {found} staat er twee keer in',
  'unknown-group': 'er is geen groep "{found}"; er zijn: {names}',
  'duplicate-group': 'de groep {found} staat er twee keer in',
  'missing-member-default':
    'hiervoor is "memberDefaults.{key}" nodig, zodat het verlies van de groep niets opent: {example} staat daar alles toe',
  'wrong-row-filter-range': 'het veld "{found}" is van type {type}; een bereik werkt op: {names}',
  'reversed-range': 'gevonden: {found}, dat bevat niets; toegestaan: "from" tot en met "to"',
  'named-group':
    '{holder} noemt de groep "{group}": behoud haar, of haal haar daar weg, in hetzelfde bestand of eerder',
  'never-with-member':
    'een lektest noemt waarden: een attribuut van een lid kan leeg zijn, en dan bewijst de test niets',
  'readers-field':
    'het veld "{found}" is van type {type}; toegestaan: een veld van type keyword zonder source',
  'everyone-address':
    'gevonden: {found}, dat is een e-mailadres; toegestaan: een naam zonder @, bijvoorbeeld *',
  'made-from-hidden':
    'dit komt uit het veld "{field}", dat verborgen is: het heeft dezelfde "visible" nodig: {groups}',
  'named-by-hidden': 'het veld "{field}" is verborgen: {key} kan er niet uit komen',
  'name-in-use': 'de naam "{name}" is al in gebruik: kies een andere, of vraag een beheerder',
  'removes-hidden':
    'alleen wie alles in "{name}" ziet, mag het verwijderen: laat het staan, of vraag een beheerder',
  'too-many-hidden': '{count} velden met "visible" gevonden; toegestaan: hoogstens {max}',
  'visible-inside':
    'een veld in "{name}" kan geen "visible" hebben: verberg het object, of declareer een pad',
  'group-of-field':
    'het veld "{field}" noemt de groep "{group}" in "visible": behoud haar, of haal haar daar weg',
  'group-with-client-id':
    '"{found}" is de Client ID van een toepassing of account; toegestaan: een andere naam',
  'keys-without-server':
    'alleen een toepassing van type server authenticeert zichzelf: verwijder de sleutels',
  'pkce-without-server':
    'false kan niet. Toegestaan: true, of een toepassing van type server, die een secret heeft',
  'unneeded-nonce':
    'false kan niet. Toegestaan: true. Een toepassing die een code challenge stuurt, heeft geen nonce nodig',
  'profile-without-keys': '"{found}" kan niet. Toegestaan: geen, of type server met publicKeys',
  'profile-without-pkce': 'false kan niet. Toegestaan bij "{profile}": true',
  'profile-algorithm': '"RS256" kan niet. Toegestaan bij "{profile}": ES256, de standaardwaarde',
  'no-domains': 'noem minstens één e-maildomein, zoals example.org: de provider meldt niemand anders aan',
  'unstorable-file': 'toegestaan: tekst zonder het teken U+0000 en zonder losse surrogaten',
  'file-too-large': 'het bestand is groter dan {max} bytes',
  'file-too-long': 'het bestand heeft meer dan {max} tekens als JSON, met elke alias uitgeschreven',
  'too-deep': 'meer dan {max} niveaus diep',
  'too-many-items': 'een lijst of mapping met meer dan {max} regels',
  'empty-file': 'het bestand is leeg: begin met "workspace: NAAM"',
  'second-document': 'het bestand heeft een tweede document: een bestand beschrijft één werkruimte',
  'unknown-anchor': 'het anker &{found} is vóór deze alias niet gedefinieerd',
  'circular-alias': 'de alias *{found} verwijst naar een waarde waar hij in staat',
  'inexact-number':
    'hier staat {found}, dat {read} zou worden; zet het tussen aanhalingstekens waar tekst mag, of schrijf minder cijfers',
  'too-many-aliases': 'aliassen: {reason}',
  'unreadable-file': 'het bestand kan niet worden gelezen: {reason}',
  'wrong-tag': 'de tag {found} is niet toegestaan: verwijder hem',
  'duplicate-key': 'de sleutel {found} staat er twee keer',
  'reserved-key': '"{found}" kan geen naam zijn',
  'yaml-key-beside-list':
    'deze sleutel staat naast de onderdelen van een lijst, die in regel {line} met "-" beginnen: een lijst heeft alleen onderdelen. Verplaats de sleutel, of zet er "-" voor',
  'yaml-indented-below':
    'deze sleutel heeft zijn waarde op de regel, maar regel {line} is eronder ingesprongen: controleer de inspringing van beide regels',
  'yaml-second-colon': 'in de waarde staat een dubbele punt met een spatie erachter',
  'yaml-no-colon':
    'er staat geen dubbele punt: schrijf een sleutel, een dubbele punt, een spatie en de waarde',
  'yaml-blanks': 'de regel begint met {found} spaties. Toegestaan: {allowed}',
  'yaml-open': '{sign} wordt niet gesloten',
  'yaml-indentation': 'de inspringing klopt niet',
  'yaml-tab': 'hier staat een tab; spring in met spaties',
  'yaml-missing-character': 'er ontbreekt een aanhalingsteken, haakje, komma of dubbele punt',
  'yaml-unexpected-character': 'dit teken kan hier niet',
  'yaml-key': 'een sleutel staat op één regel, met een dubbele punt erachter',
  'yaml-syntax': 'dit is geen geldige YAML',
  'wrong-generation':
    '{found} kan niet. Toegestaan: live, latest, of een generatie van {collection}: {names}',
  'unknown-embedder':
    '{found} kan niet. Toegestaan: een embedder die de beheerder van de server heeft ingesteld: {names}',
  'wrong-dimensions': '{found} kan niet. Toegestaan: {dimensions}, zoals de embedder "{embedder}" maakt',
  'no-vector-search': 'velden van type vector hebben {missing} nodig',
  'issuer-missing': 'op {url} staat geen metadata van een OpenID-provider: verbeter de issuer',
  'issuer-other-issuer': 'de metadata op {url} noemt de issuer {found}: schrijf die precies zo',
  'issuer-incomplete':
    'in de metadata op {url} ontbreekt {found}: niemand kan zich met deze provider aanmelden',
  'last-administrator':
    'de laatste beheerder van een werkruimte kan niet weg: voeg in hetzelfde bestand of eerder een andere beheerder toe',
  'creator-without-role':
    'wie een werkruimte maakt, wordt er beheerder van: geef dit lid die rol, of laat het lid weg',
  'field-of-row-filter':
    'het rijfilter van {holder} gebruikt het veld "{field}": houd het veld en zijn type, of wijzig dat filter in hetzelfde bestand',
  'field-of-hidden-row-filter':
    'het rijfilter van een lid gebruikt het veld "{field}": houd het veld en zijn type, of vraag een beheerder',
  'removed-collection':
    'de collectie {collection} ontbreekt in het bestand: ze wordt met haar documenten verwijderd',
  'kept-key': 'bestaande documenten houden hun {key}; importeer ze opnieuw en vervang alle',
  'new-id-field':
    'bestaande documenten zijn zonder hun id als veld geïmporteerd en zijn er niet op te vinden; importeer ze opnieuw en vervang alle',
  'retyped-field':
    'wordt {type}: documenten met een waarde van een ander type blijven, maar zijn via dit veld niet te vinden',
  'misfitting-values':
    '{misfits} van {values} waarden in de eerste {count} documenten passen niet, zoals {examples}: hun documenten blijven, maar zijn via deze waarden niet te vinden',
  'unmatched-value': 'geen document heeft {found} in "{field}": vergelijk de waarde met de documenten',
  'empty-field':
    'geen van de eerste {count} documenten heeft een waarde voor {name}: vergelijk de naam met de documenten',
  'no-collection-named':
    'geen endpoint noemt een collectie, en er zijn er meerdere ({names}): de API kan pas antwoorden als een endpoint er een noemt',
  'default-not-public':
    'anonieme gebruikers van openbare API\'s krijgen in plaats daarvan de live generatie; voeg "public: true" toe om hun deze configuratie te geven',
  'unconfirmed-address':
    'het adres {email} is niet bevestigd: deze persoon krijgt een uitnodiging en wordt lid door die te accepteren',
  'issuer-unreachable':
    'de provider antwoordt niet op {url}, dus de issuer is niet gecontroleerd. Voor een host in uw eigen netwerk stelt een operator --internal-hosts in',
  'unproved-domain':
    'nog niet aangetoond: {domains}. Tot dan wordt niemand met een adres daar aangemeld: zie Instellingen > Aanmelden, of "querent provider show {workspace}"',
  'proves-domain':
    'iedereen met een adres van {domain} kan zich straks aanmelden: u bent operator, dus dit toepassen toont het domein aan',
  'wordless-synonym': 'het synoniem {found} heeft geen letters of cijfers en werkt daarom niet',
}
