import type { Catalog } from '#i18n/catalog.ts'

/** Refusals, invitations and general settings. */
export const refusals: Catalog = {
  'Token format': 'Vorm van het token',
  Signature: 'Handtekening',
  'Validity period': 'Geldigheidsduur',
  'DPoP proof': 'DPoP-bewijs',
  Revocation: 'Intrekking',
  Client: 'Client',
  'Workspace of the client': 'Werkruimte van de client',
  Membership: 'Lidmaatschap',
  'End of the membership': 'Einde van het lidmaatschap',
  Role: 'Rol',
  'Second factor': 'Tweede factor',
  'Row filter': 'Rijfilter',
  'The account': 'Het account',
  'The request has no access token.': 'Het verzoek heeft geen access token.',
  'The access token of the request is not readable.': 'Het access token van het verzoek is niet leesbaar.',
  'Token missing or malformed': 'Token ontbreekt of is onjuist',
  'No token': 'Geen token',
  'This is neither a request ID nor an access token.': 'Dit is geen verzoek-ID en geen access token.',
  'The token was issued by another server.': 'Het token komt van een andere server.',
  'The signature of the token is not valid.': 'De handtekening van het token klopt niet.',
  'The token is for another address.': 'Het token is voor een ander adres.',
  'The token has expired, or is not valid yet.': 'Het token is verlopen, of nog niet geldig.',
  'The token needs a DPoP proof, and the request has no valid one.':
    'Het token vereist een DPoP-bewijs, en het verzoek heeft geen geldig bewijs.',
  'The token was revoked.': 'Het token is ingetrokken.',
  '{client} is disabled or was deleted.': '{client} is uitgeschakeld of verwijderd.',
  'The application': 'De toepassing',
  '{name} is disabled or was deleted.': '{name} is uitgeschakeld of verwijderd.',
  'The token was obtained through {client}, which belongs to another workspace.':
    'Het token is verkregen via {client}, en die hoort bij een andere werkruimte.',
  'an application': 'een toepassing',
  '{name} is not a member of this workspace.': '{name} is geen lid van deze werkruimte.',
  '{name} has no role that allows this.': '{name} heeft geen rol die dit toestaat.',
  'This workspace requires a second factor, and {name} signed in without one.':
    'Deze werkruimte vereist een tweede factor, en {name} heeft zich zonder aangemeld.',
  'The membership of {name} has ended.': 'Het lidmaatschap van {name} is afgelopen.',
  '{name} may not use this API.': '{name} mag deze API niet gebruiken.',
  '{name} may not use this collection.': '{name} mag deze collectie niet gebruiken.',
  'The row filter of {name} does not allow this.': 'Het rijfilter van {name} staat dit niet toe.',
  'Send the token in the header, as Authorization: Bearer TOKEN.':
    'Stuur het token in de header, als Authorization: Bearer TOKEN.',
  'Get a new token from this server, and send it unchanged.':
    'Haal een nieuw token van deze server, en stuur het ongewijzigd.',
  'Request the token for the expected audience, or set it as the default of the application.':
    'Vraag het token aan voor de verwachte audience, of stel die als standaard van de toepassing in.',
  'Get a new token. If it is new, correct the clock of the machine that uses it.':
    'Haal een nieuw token. Is het al nieuw, zet dan de klok gelijk van de machine die het gebruikt.',
  'Send Authorization: DPoP TOKEN with a new proof for each request.':
    'Stuur Authorization: DPoP TOKEN met een nieuw bewijs bij elk verzoek.',
  'Sign in again, or get a new token.': 'Meld u opnieuw aan, of haal een nieuw token.',
  'Enable it, or use an application or System-to-System account of this workspace.':
    'Schakel die in, of gebruik een toepassing of System-to-System-account van deze werkruimte.',
  'Use a System-to-System account of this workspace, or create one.':
    'Gebruik een System-to-System-account van deze werkruimte, of maak er een.',
  'Use an application of this workspace, or register one.':
    'Gebruik een toepassing van deze werkruimte, of registreer er een.',
  'a System-to-System account': 'een System-to-System-account',
  'Open the team members': 'Teamleden openen',
  'An operator of this server can enable the account.':
    'Een operator van deze server kan het account inschakelen.',
  'Invite {name}, or add them again.': 'Nodig {name} uit, of voeg dit account opnieuw toe.',
  'Use an account of this workspace.': 'Gebruik een account van deze werkruimte.',
  'Give the membership a later end, or none.': 'Geef het lidmaatschap een later einde, of geen.',
  'Add it to the membership, or to one of its groups.':
    'Voeg die toe aan het lidmaatschap, of aan een van de groepen ervan.',
  'Give the account a role that allows it.': 'Geef het account een rol die het toestaat.',
  'Sign in again. The sign-in asks to set up a second factor.':
    'Meld u opnieuw aan. De aanmelding vraagt om een tweede factor in te stellen.',
  'Remove the row filter, or let somebody without one do this.':
    'Haal het rijfilter weg, of laat iemand zonder rijfilter dit doen.',
  'Allowed: every check passed': 'Toegestaan: elke controle is geslaagd',
  '{status} for {path}, {moment}': '{status} voor {path}, {moment}',
  '{count} checks passed': { one: '{count} controle geslaagd', other: '{count} controles geslaagd' },
  'expected {expected}': 'verwacht: {expected}',
  'expected {expected}, found {found}': 'verwacht: {expected}, gevonden: {found}',
  'not run': 'niet uitgevoerd',
  passed: 'geslaagd',
  failed: 'mislukt',
  'Recent refusals': 'Recente weigeringen',
  'Rejected sign-ins': 'Geweigerde aanmeldingen',
  'Rejected requests of the last 24 hours, by account and reason. A flood is recorded in part.':
    'Geweigerde verzoeken van de laatste 24 uur, per account en reden. Een stortvloed wordt deels vastgelegd.',
  'No refusals found': 'Geen weigeringen gevonden',
  'No refusals': 'Geen weigeringen',
  'No request to this workspace was rejected in the last 24 hours.':
    'In de laatste 24 uur is geen verzoek aan deze werkruimte geweigerd.',
  'Last seen': 'Laatst gezien',
  Times: 'Aantal',
  '{count} times': { one: '{count} keer', other: '{count} keer' },
  Who: 'Wie',
  'through {client}': 'via {client}',
  Why: 'Waarom',
  'Explain the refusal of {account}': 'Weigering van {account} uitleggen',
  Explain: 'Uitleggen',
  'E-mail, name or ID': 'E-mail, naam of ID',
  Reason: 'Reden',
  'Every 401 or 403 reply has a request ID, in its body and in the header X-Request-Id. You can look it up for 24 hours.':
    'Elk antwoord 401 of 403 heeft een verzoek-ID, in de inhoud en in de header X-Request-Id. U kunt het 24 uur lang opzoeken.',
  'No refused request has this ID': 'Geen geweigerd verzoek heeft dit ID',
  'Copy the whole ID of a 401 or 403 reply of the last 24 hours, to you or, if you are an administrator, to anybody in this workspace. Queries that failed for another reason are in {requests}.':
    'Kopieer het hele ID van een antwoord 401 of 403 van de laatste 24 uur, aan u of, als u beheerder bent, aan iemand in deze werkruimte. Zoekvragen die om een andere reden mislukten, staan bij {requests}.',
  'Request ID or access token': 'Verzoek-ID of access token',
  'A token is checked against this workspace. It is only sent to this server, and not stored.':
    'Een token wordt voor deze werkruimte gecontroleerd. Het gaat alleen naar deze server, en wordt niet bewaard.',
  'Open the account': 'Account openen',
  'Invite {email}': '{email} uitnodigen',
  'Open the applications': 'Toepassingen openen',
  General: 'Algemeen',
  "It is part of every address, so it can't be changed.":
    'Deze naam zit in elk adres en kan dus niet worden gewijzigd.',
  Description: 'Beschrijving',
  'What people find here. Members see it on the overview.':
    'Wat mensen hier vinden. Leden zien het op het overzicht.',
  'Earlier generations to keep': 'Te bewaren eerdere generaties',
  'For each collection, besides the live generation and the one before it. You can switch back to a kept one.':
    'Per collectie, naast de live generatie en die daarvoor. U kunt naar een bewaarde generatie terug.',
  'Saved.': 'Opgeslagen.',
  'Copy the links now': 'Kopieer de links nu',
  "You won't see it again. If you lose it, create a new one in the list of invitations.":
    'U krijgt hem niet opnieuw te zien. Maak een nieuwe in de lijst met uitnodigingen als u hem kwijtraakt.',
  "You won't see them again. If you lose one, create a new one in the list of invitations.":
    'U krijgt ze niet opnieuw te zien. Maak een nieuwe in de lijst met uitnodigingen als u er een kwijtraakt.',
  'Each link works once, within 7 days, and only for its address.':
    'Elke link werkt één keer, binnen 7 dagen, en alleen voor het eigen adres.',
  '{email}, mailed': '{email}, gemaild',
  'Resend the invitation of {email}': 'Uitnodiging van {email} opnieuw versturen',
  'Mail {email} a new link?': 'Een nieuwe link naar {email} mailen?',
  'Create a new link for {email}?': 'Een nieuwe link voor {email} maken?',
  'The link created {moment} stops working, also if it is already in their mailbox.':
    'De link (gemaakt: {moment}) werkt dan niet meer, ook als die al in de mailbox staat.',
  Resend: 'Opnieuw versturen',
  'New link for {email}': 'Nieuwe link voor {email}',
  'New link': 'Nieuwe link',
  '{address} is not an e-mail address': '{address} is geen e-mailadres',
  'At most {count} addresses at once': 'Hoogstens {count} adressen tegelijk',
  'Invite team members': 'Teamleden uitnodigen',
  'Not invited': 'Niet uitgenodigd',
  'E-mail addresses': 'E-mailadressen',
  'One on each line, or separated by commas.': 'Eén per regel, of gescheiden door komma’s.',
  'Invitation of {email}': 'Uitnodiging van {email}',
  'The earlier link no longer works.': 'De eerdere link werkt niet meer.',
}
