import type { Catalog } from '#i18n/catalog.ts'

/** The sign-in log. */
export const signInLog: Catalog = {
  'Sign-in log': 'Aanmeldlogboek',
  'Sign-ins to the applications of this workspace, and of its members to the console since they joined. Entries are kept for 90 days unless the operator chose otherwise.':
    'Aanmeldingen bij de toepassingen van deze werkruimte, en van haar leden bij de console sinds ze lid zijn. Regels blijven 90 dagen bewaard, tenzij de beheerder van de server anders koos.',
  'Sign-ins to all applications of this server, and to the console.':
    'Aanmeldingen bij alle toepassingen van deze server, en bij de console.',
  'Rejected queries of the last 24 hours': 'Geweigerde zoekopdrachten van de afgelopen 24 uur',
  'Sign-ins of the last 30 days': 'Aanmeldingen van de afgelopen 30 dagen',
  'Export as NDJSON': 'Exporteren als NDJSON',
  'Sign-in': 'Aanmelding',
  'Second factor': 'Tweede factor',
  'Token request': 'Tokenverzoek',
  'Refused application': 'Geweigerde toepassing',
  password: 'wachtwoord',
  passkey: 'passkey',
  'code of an app': 'code van een app',
  'recovery code': 'herstelcode',
  'existing session': 'bestaande sessie',
  'other provider': 'andere aanbieder',
  Succeeded: 'Gelukt',
  'Password correct, second factor requested': 'Wachtwoord juist, tweede factor gevraagd',
  'The provider sent no claim for groups or attributes':
    'De provider stuurde geen claim voor groepen of attributen',
  'The provider sent an incomplete claim, which gave nothing':
    'De provider stuurde een onvolledige claim, die niets gaf',
  'The provider sent more values than a member can have':
    'De provider stuurde meer waarden dan een lid kan hebben',
  'Wrong password': 'Verkeerd wachtwoord',
  'Wrong code': 'Verkeerde code',
  'Passkey not accepted': 'Passkey niet geaccepteerd',
  'Too many attempts': 'Te veel pogingen',
  'Too many requests for a new password': 'Te veel verzoeken om een nieuw wachtwoord',
  'Not a member': 'Geen lid',
  'Second factor missing': 'Tweede factor ontbreekt',
  Person: 'Persoon',
  From: 'Herkomst',
  Outcome: 'Uitkomst',
  'What happened': 'Wat er gebeurde',
  'Or its beginning': 'Of het begin ervan',
  'Failed: {reason}': 'Mislukt: {reason}',
}
