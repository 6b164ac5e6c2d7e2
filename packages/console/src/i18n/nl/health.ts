/** Dutch texts of health checks, by the codes of their parts (`health-texts.ts`). */
import type { HealthCode } from '@querent/contract/health-texts'
import type { Catalog } from '#i18n/catalog.ts'

export const healthTexts: Readonly<Record<HealthCode, Catalog[string]>> = {
  'storage-away': 'de opslag antwoordt niet; sleutels, collecties en back-ups zijn niet gecontroleerd',
  'storage-away-advice':
    'controleer of de database draait en of de server haar bereikt; gegevens uit de cache worden gedurende staleSeconds geleverd, daarna krijgen verzoeken 503',
  'storage-answers': '{kind} antwoordt in {ms} ms',
  'storage-reports': ' en meldt wijzigingen',
  'storage-silent': '; al {seconds} s zijn er geen wijzigingen gemeld',
  'storage-silent-advice':
    'controleer de belasting van {kind} en het netwerk: verwijderde leden kunnen toegang houden totdat wijzigingen weer worden gemeld',
  'clock-behind': 'de klok van de database loopt {seconds} s achter op die van de server',
  'clock-ahead': 'de klok van de database loopt {seconds} s voor op die van de server',
  'clock-advice': 'stel beide machines gelijk met dezelfde NTP-server; tokens staan 60 s toe',
  'keys-missing': 'geen sleutel ondertekent met {algorithms}',
  'keys-missing-advice': 'herstart de server, die de ontbrekende sleutels maakt',
  'keys-sign': '{keys} sleutels ondertekenen, de oudste sinds ',
  days: { one: '{count} dag', other: '{count} dagen' },
  'keys-no-next': '; nog geen volgende sleutel',
  'keys-next': '; de volgende zijn gepubliceerd en ondertekenen vanaf {time}',
  'keys-overdue-advice':
    'sleutels horen na {days} dagen te wisselen: voer `querent keys rotate` uit, en zoek de oorzaak in het log',
  'keys-old-advice': 'voer `querent keys rotate` uit, of stel keyRotationDays in',
  'engine-answers': 'de zoekmachine antwoordt',
  'engine-away': 'de zoekmachine antwoordt niet: {reason}',
  'engine-away-advice':
    'controleer of OpenSearch draait en of de server het bereikt; zoekvragen en documenten krijgen tot dan 503',
  documents: { one: '{count} document', other: '{count} documenten' },
  'in-collections': { one: ' in {count} collectie', other: ' in {count} collecties' },
  'engine-unopened': ', {more} andere nog niet geopend',
  'engine-down': '; uitgevallen: {names}',
  'engine-not-ready': '; niet gereed: {names}',
  'engine-rebuilding': '; wordt opnieuw opgebouwd: {names}',
  'and-more': ' en nog {more}',
  reason: ' ({reason})',
  'engine-all-ready': ', alle gereed',
  'engine-opened-ready': ', de geopende zijn gereed',
  'documents-lost-advice':
    'zet de verloren bestanden (documents.db, documents.db-wal) terug of herstel een back-up; is er geen, importeer dan alle documenten met replace=true, of promoveer een andere generatie',
  'no-resources-advice': 'geef de server er meer van: binnen 30 s opent hij ze opnieuw, zonder herstart',
  'engine-down-advice':
    'controleer de rechten en de schijf van de map engine, en zoek in het log naar "a collection is down"; zijn de bestanden beschadigd, herstel dan een back-up, of importeer alle documenten met replace=true',
  'engine-not-ready-advice': 'zoek in het log naar meldingen erover; zijn er geen, herstart dan de server',
  'engine-rebuilding-advice': 'wacht: ze antwoorden met 503 totdat hun index uit hun documenten is opgebouwd',
  'backup-none': 'er is geen back-up gemaakt',
  'backup-advice': 'maak er dagelijks een met `querent backup FILE`, en bewaar hem op een andere machine',
  'backup-failed': 'de laatste back-up is mislukt op {time}: {reason}',
  'backup-failed-advice': 'neem de oorzaak weg, en maak er een met `querent backup FILE`',
  'backup-lacks': 'in de laatste back-up, van {time}, ontbreken de documenten van {names}',
  'backup-lacks-reason': ': {reason}',
  'backup-lacks-advice':
    'bewaar de back-ups van daarvoor, herstel deze collecties, en maak een back-up met `querent backup FILE`',
  'backup-started': 'de laatste back-up is begonnen op {time}',
  'proxy-untrusted':
    'verzoeken van {peer} hebben X-Forwarded-For, maar dat adres staat niet in trustedProxy: alle clients delen het in limieten en het auditlogboek',
  'proxy-untrusted-advice': 'voeg {peer} toe aan trustedProxy als dat uw proxy is',
  'proxy-silent':
    'het verzoek kwam van {peer} zonder X-Forwarded-For: alle clients delen het adres van de proxy in limieten en het auditlogboek',
  'proxy-silent-advice': 'laat de proxy X-Forwarded-For sturen, en voeg hem toe aan trustedProxy',
  'proxy-host': 'het verzoek was voor {host}, en authUrl is {authUrl}',
  'proxy-host-advice': 'laat de proxy de header Host ongewijzigd doorgeven',
  'proxy-scheme': 'de proxy meldt het schema {scheme}, en authUrl is {authUrl}',
  'proxy-scheme-advice': 'leid in de proxy http om naar https, of verbeter zijn X-Forwarded-Proto',
  'proxy-none': 'het verzoek kwam zonder proxy',
  'proxy-trusted': 'de proxy op {peer} wordt vertrouwd en geeft Host en X-Forwarded-For door',
  'data-unreadable': 'de gegevensmap {data} kan niet worden gelezen ({reason})',
  'data-unreadable-advice': 'zet haar terug, koppel haar bestandssysteem, en herstart de server',
  'disk-full-reserve':
    'de schijf met de opslag is vol; de reserve voor back-ups, verwijderen, intrekken en sleutels is volledig',
  'disk-full-used':
    'de schijf met de opslag is vol; de reserve voor back-ups, verwijderen, intrekken en sleutels is gebruikt en heeft {percent} % van haar grootte',
  'disk-full-advice': 'maak ruimte vrij: tot dan mislukt elke andere wijziging met 503',
  'disk-free': '{gib} GiB vrij voor {data}',
  'disk-advice': 'maak ruimte vrij: op een volle schijf mislukt elke wijziging met 503',
  'limits-advice':
    'herstart de server nadat u de limiet hebt verhoogd; tot dan opent en sluit hij collecties vaker',
  'mail-none':
    'er is geen mailserver ingesteld: uitnodigingen en wachtwoordlinks moeten met de hand worden gekopieerd',
  'mail-none-advice':
    'stel QUERENT_SMTP_URL en QUERENT_MAIL_FROM in; zonder gaat het ook als weinig mensen zich aanmelden',
  'mail-configured': 'er is een mailserver ingesteld',
  'mail-waits': {
    one: '{count} mail wacht op de mailserver, sinds {minutes} minuten',
    other: '{count} mails wachten op de mailserver, de oudste sinds {minutes} minuten',
  },
  'mail-no-answer': ' (nog geen antwoord)',
  'mail-late-advice':
    'stuur in de console onder Server een testmail om het antwoord van de mailserver te zien; het log heeft van elke mislukte mail het doel en het domein',
  'emails-alike': 'twee mensen hebben schrijfwijzen van één e-mailadres: ',
  'email-pair': '{email} en {other}',
  'emails-alike-advice':
    'vraag welk account de persoon gebruikt, en wijzig het adres van het andere of verwijder het (docs/people.md, "One mailbox, two people")',
  domains: 'domeinen van OpenID-providers: ',
  'domains-unproved': 'niet bewezen, zodat niemand wordt aangemeld: {names}',
  'domains-failing': 'TXT-record niet gevonden: {names}',
  'domains-more': 'nog {more}',
  next: '; ',
  'domains-advice':
    '`querent provider show WORKSPACE` toont van elk domein het TXT-record en wanneer het bewijs eindigt; bewijs het, of neem het uit het werkruimtebestand',
  'former-address': 'deze server was op {authUrl} en {baseUrl} tot {time}',
  'former-passkeys':
    'passkeys van {hosts} die hier niet werken: {passkeys}; mensen zonder andere tweede factor: {people}',
  'former-audiences':
    'toepassingen met een vroeger adres als standaard-audience, waarvoor de server {baseUrl} gebruikt: {audiences}',
  'former-address-advice':
    'toepassingen hebben de nieuwe issuer en audience nodig, mensen geven opnieuw toestemming, melden zich aan met een herstelcode of wachtwoord, en voegen een passkey toe; `querent users remove-factors` helpt wie geen herstelcode heeft',
  'node-silent': 'de node zwijgt al {minutes} minuten en is niet netjes gestopt',
  'node-silent-advice':
    'start hem opnieuw, of controleer of hij de opslag bereikt; na een uur staat hij niet meer in de lijst',
}
