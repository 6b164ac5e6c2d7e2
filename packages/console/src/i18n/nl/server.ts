import type { Catalog } from '#i18n/catalog.ts'

/** The area for operators. */
export const server: Catalog = {
  'Changes of this server and in all of its workspaces.':
    'Wijzigingen van deze server en in alle workspaces ervan.',
  'It has {contents}.': 'De werkruimte bevat {contents}.',
  '{count} collections': { one: '{count} collectie', other: '{count} collecties' },
  '{count} members': { one: '{count} lid', other: '{count} leden' },
  '{count} APIs': { one: '{count} API', other: '{count} API’s' },
  'Former address': 'Vorig adres',
  Status: 'Status',
  'Signing keys': 'Ondertekensleutels',
  Mail: 'Mail',
  Backup: 'Back-up',
  'People, workspaces, accounts and all documents in one file.':
    'Mensen, werkruimtes, accounts en alle documenten in één bestand.',
  'Last backup:': 'Laatste back-up:',
  'Back up every day': 'Elke dag een back-up maken',
  'On the machine of the server, run this command from a scheduler, with the data folder of the server in place of DIR:':
    'Voer op de machine van de server deze opdracht uit met een planner, met de gegevensmap van de server in plaats van DIR:',
  Command: 'Opdracht',
  Restore: 'Terugzetten',
  'Restore into a new folder, then start a server with it. The file is checked first, and a failed restore leaves nothing behind.':
    'Zet de back-up terug in een nieuwe map, en start er dan een server mee. Het bestand wordt eerst gecontroleerd, en een mislukte poging laat niets achter.',
  Commands: 'Opdrachten',
  'If you set QUERENT_KEY, keep it yourself: it is not in the backup. What was revoked since the backup works again after a restore.':
    'Bewaar QUERENT_KEY zelf als u die instelt: die zit niet in de back-up. Wat na de back-up is ingetrokken, werkt na het terugzetten weer.',
  'Your password': 'Uw wachtwoord',
  'The file contains every secret of the server. Keep it as safe as the server itself.':
    'Het bestand bevat elk geheim van de server. Bewaar het even veilig als de server zelf.',
  'Download backup': 'Back-up downloaden',
  '{size} MB received': '{size} MB ontvangen',
  'The backup is complete: {size} MB.': 'De back-up is compleet: {size} MB.',
  'The backup is incomplete': 'De back-up is niet compleet',
  'These documents could not be read. Keep earlier backups, and repair the server.':
    'Deze documenten konden niet worden gelezen. Bewaar eerdere back-ups en herstel de server.',
  '{collection}, generation {generation}: {reason}': '{collection}, generatie {generation}: {reason}',
  'Create account': 'Account maken',
  'You vouch for the address: it counts as confirmed. An administrator can then add the person.':
    'U staat in voor het adres: het geldt als bevestigd. Een beheerder kan de persoon daarna toevoegen.',
  Addresses: 'Adressen',
  Storage: 'Opslag',
  Clock: 'Klok',
  'Search engine': 'Zoekmachine',
  'Disk space': 'Schijfruimte',
  Proxy: 'Proxy',
  Node: 'Node',
  Failed: 'Mislukt',
  Warning: 'Waarschuwing',
  OK: 'In orde',
  'Something does not work: follow the advice below.': 'Er werkt iets niet: volg het advies hieronder.',
  'Everything works, with warnings.': 'Alles werkt, met waarschuwingen.',
  'Everything works.': 'Alles werkt.',
  Next: 'Volgende',
  Signs: 'Ondertekent',
  Retired: 'Buiten gebruik',
  'They sign access tokens and ID tokens. Their public part is at /.well-known/jwks.json.':
    'Ze ondertekenen access tokens en ID-tokens. Het openbare deel staat op /.well-known/jwks.json.',
  Rotate: 'Vernieuwen',
  'Rotate the signing keys': 'Ondertekensleutels vernieuwen',
  'Rotate the signing keys?': 'De ondertekensleutels vernieuwen?',
  'New keys are published now and sign in 10 minutes. Existing tokens stay valid. If a key leaked, revoke it instead.':
    'Nieuwe sleutels worden nu gepubliceerd en ondertekenen over 10 minuten. Bestaande tokens blijven geldig. Is een sleutel uitgelekt, trek die dan in.',
  'The new keys are published. They sign in 10 minutes.':
    'De nieuwe sleutels zijn gepubliceerd. Ze ondertekenen over 10 minuten.',
  Key: 'Sleutel',
  Algorithm: 'Algoritme',
  State: 'Toestand',
  'Signs from': 'Ondertekent vanaf',
  'Signs until': 'Ondertekent tot',
  'no successor yet': 'nog geen opvolger',
  'Revoke the key {key}': 'Sleutel {key} intrekken',
  'Revoke this signing key?': 'Deze ondertekensleutel intrekken?',
  'Only if it leaked. Tokens that it signed are rejected at once. Applications get new ones with their secrets and refresh tokens.':
    'Alleen als hij is uitgelekt. Tokens met deze handtekening worden meteen geweigerd. Toepassingen halen nieuwe op met hun secrets en refresh tokens.',
  'The server mails invitations and links to choose a password.':
    'De server mailt uitnodigingen en links om een wachtwoord te kiezen.',
  'Mail server': 'Mailserver',
  Sender: 'Afzender',
  'No mail server': 'Geen mailserver',
  'You copy the links of invitations and send them yourself.':
    'U kopieert de links van uitnodigingen en verstuurt ze zelf.',
  'To send mails, start the server with these settings:':
    'Start de server met deze instellingen om mails te versturen:',
  'Send a test mail to': 'Testmail sturen naar',
  Send: 'Versturen',
  'The mail server accepted the mail': 'De mailserver heeft de mail aangenomen',
  'The mail server did not accept the mail': 'De mailserver heeft de mail niet aangenomen',
  'If it does not arrive, look at the spam folder and at the sender.':
    'Komt de mail niet aan, kijk dan in de spammap en naar de afzender.',
  "You won't see it again. If you lose it, create a new one.":
    'U krijgt het niet opnieuw te zien. Maak een nieuwe als u hem kwijtraakt.',
  'Give this link to {email}. It works once, until {time}.':
    'Geef deze link aan {email}. Hij werkt één keer, tot {time}.',
  'Link to choose a password': 'Link om een wachtwoord te kiezen',
  'Everybody who has an account on this server.': 'Iedereen met een account op deze server.',
  'Search by e-mail or name': 'Zoek op e-mail of naam',
  operator: 'operator',
  'e-mail not confirmed': 'e-mail niet bevestigd',
  'All people': 'Alle mensen',
  active: 'actief',
  'Create reset link': 'Herstellink maken',
  'Export data': 'Gegevens exporteren',
  'Disable {email}?': '{email} uitschakelen?',
  'They are signed out everywhere and lose access immediately. You can enable them again.':
    'De persoon wordt overal afgemeld en verliest meteen de toegang. U kunt het account weer inschakelen.',
  'Invitations and registration tokens that they created stop working for good.':
    'Uitnodigingen en registratietokens van deze persoon werken daarna niet meer, en worden niet hersteld.',
  Memberships: 'Lidmaatschappen',
  'No memberships': 'Geen lidmaatschappen',
  'An administrator of a workspace can invite this person, or add them.':
    'Een beheerder van een werkruimte kan deze persoon uitnodigen of toevoegen.',
  'none: the membership has ended': 'geen: het lidmaatschap is afgelopen',
  'This deletes the account with its memberships, sessions and consents. The audit log keeps what the person did.':
    'Dit verwijdert het account met lidmaatschappen, sessies en toestemmingen. Het auditlogboek bewaart wat de persoon heeft gedaan.',
  'Delete {email}?': '{email} verwijderen?',
  'They lose access immediately. This cannot be undone.':
    'De persoon verliest meteen de toegang. Dit kan niet ongedaan worden gemaakt.',
  'The link is valid for an hour. An earlier link stops working; the present password works until then.':
    'De link is een uur geldig. Een eerdere link werkt niet meer; het huidige wachtwoord werkt tot dan.',
  'It is available to operators of this server.': 'Deze pagina is er voor operators van deze server.',
  'All workspaces of this server. You can manage each of them; to query one, become a member.':
    'Alle werkruimtes van deze server. U kunt ze allemaal beheren; word lid om er in een te zoeken.',
  'Create the first workspace to get started.': 'Maak de eerste werkruimte om te beginnen.',
  Collections: 'Collecties',
  'not counted': 'niet geteld',
  'Delete the workspace {workspace}': 'Werkruimte {workspace} verwijderen',
  'Version, health and nodes of this server.': 'Versie, gezondheid en nodes van deze server.',
  'Check again': 'Opnieuw controleren',
  Version: 'Versie',
  'For requests and load over time, read the {metrics} of the server. The docs list its {limits}, and say how it {grows}.':
    'Lees voor verzoeken en belasting door de tijd de {metrics} van de server. De documentatie noemt de {limits}, en zegt hoe de server {grows}.',
  limits: 'limieten',
  'grows with its load': 'meegroeit met de belasting',
  metrics: 'metrieken',
  'Query service': 'Zoekdienst',
  'Authorization server': 'Autorisatieserver',
  Embedded: 'Ingebouwd',
  'Last backup': 'Laatste back-up',
  Health: 'Gezondheid',
  'Checks of the server': 'Controles van de server',
  Nodes: 'Nodes',
  'Each node checks itself every 30 seconds.': 'Elke node controleert zichzelf elke 30 seconden.',
  queries: 'zoekvragen',
  authorization: 'autorisatie',
  'Version {version}': 'Versie {version}',
  Services: 'Diensten',
  'Listens on': 'Luistert op',
  Started: 'Gestart',
  'Last report': 'Laatste bericht',
  'Checks of {host}': 'Controles van {host}',
  'this browser reaches the query service at {baseUrl}': 'deze browser bereikt de zoekdienst op {baseUrl}',
  'this browser does not reach the query service at {baseUrl}':
    'deze browser bereikt de zoekdienst op {baseUrl} niet',
  'start it, or check baseUrl and the proxy': 'start die, of controleer baseUrl en de proxy',
}
