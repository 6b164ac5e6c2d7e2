/** Texts of mails, by language. Their links are secrets of the recipient. */

import type { Language } from './languages.ts'

/** Subject and plain text of a mail. */
export interface MailContent {
  subject: string
  text: string
}

interface MailTemplates {
  /** `inviter` invited the reader into a workspace; valid until `expiresAt` (milliseconds since 1970). */
  invitation(facts: { workspace: string; inviter: string; url: string; expiresAt: number }): MailContent
  /** A new password was requested for the reader's address. */
  passwordReset(facts: { url: string; expiresAt: number }): MailContent
  /** A new password was requested for an address without an account. */
  noAccount(facts: { authUrl: string }): MailContent
  passwordChanged(facts: { authUrl: string }): MailContent
  /** To the new address of the person with the address `emailBefore`. */
  confirmEmail(facts: { url: string; expiresAt: number; emailBefore: string }): MailContent
  /** To the new address, if it has an account already. */
  emailTaken(facts: { authUrl: string }): MailContent
  /** To the old address. `email` is the new one. */
  emailChangeRequested(facts: { authUrl: string; email: string }): MailContent
  accountDeleted(facts: { authUrl: string }): MailContent
  /** An operator tests the mail settings. */
  test(facts: { authUrl: string }): MailContent
  factorChanged(facts: { authUrl: string; change: FactorChange }): MailContent
  /** To the former address. */
  emailChanged(facts: { authUrl: string; newEmail: string }): MailContent
  newDevice(facts: DeviceFacts & { authUrl: string }): MailContent
  failedSignIns(facts: { authUrl: string }): MailContent
  failedCodes(facts: { authUrl: string }): MailContent
}

/** A sign-in on a device that was not known. */
interface DeviceFacts {
  browser: string | null
  system: string | null
  /** IP address. */
  address: string
  /** Milliseconds since 1970. */
  at: number
}

/** Changes of a person's second factors that a mail reports. */
export type FactorChange =
  | 'app-added'
  | 'app-replaced'
  | 'app-removed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'codes-replaced'
  /** By an operator. */
  | 'all-removed'

const factorChanges: Record<Language, Record<FactorChange, string>> = {
  en: {
    'app-added': 'An authenticator app was added',
    'app-replaced': 'The authenticator app was replaced',
    'app-removed': 'The authenticator app was removed',
    'passkey-added': 'A passkey was added',
    'passkey-removed': 'A passkey was removed',
    'codes-replaced': 'The recovery codes were replaced',
    'all-removed': 'All second factors were removed by the people who run the server',
  },
  nl: {
    'app-added': 'Er is een authenticator-app toegevoegd',
    'app-replaced': 'De authenticator-app is vervangen',
    'app-removed': 'De authenticator-app is verwijderd',
    'passkey-added': 'Er is een passkey toegevoegd',
    'passkey-removed': 'Er is een passkey verwijderd',
    'codes-replaced': 'De herstelcodes zijn vervangen',
    'all-removed': 'Alle tweede factoren zijn verwijderd door de mensen die de server beheren',
  },
}

/** Makes user input one short line for a subject or sentence. */
const toSingleLine = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}

const formatDateTime = (ms: number, locale: string): string =>
  new Date(ms).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

const joinDevice = ({ browser, system }: DeviceFacts, unknown: string): string =>
  toSingleLine([browser, system].filter(Boolean).join(', ')) || unknown

const joinParagraphs = (...parts: string[]): string => `${parts.join('\n\n')}\n`

const templates: Record<Language, MailTemplates> = {
  en: {
    invitation: ({ workspace, inviter, url, expiresAt }) => ({
      subject: `Invitation to ${toSingleLine(workspace)}`,
      text: joinParagraphs(
        `${toSingleLine(inviter)} invites you to the workspace ${toSingleLine(workspace)}.`,
        `Open this link to accept the invitation:\n${url}`,
        `The link is only for you. It works once, until ${formatDateTime(expiresAt, 'en-GB')} UTC.`,
        'If you did not expect this invitation, ignore this e-mail.',
      ),
    }),
    passwordReset: ({ url, expiresAt }) => ({
      subject: 'Choose a new password',
      text: joinParagraphs(
        'We received a request to reset your password.',
        `Choose a new password here:\n${url}`,
        `The link works once, until ${formatDateTime(expiresAt, 'en-GB')} UTC.`,
        'If it was not you, ignore this e-mail. Your password stays the same.',
      ),
    }),
    noAccount: ({ authUrl }) => ({
      subject: 'You have no account here',
      text: joinParagraphs(
        `We received a request to reset the password of this e-mail address at ${authUrl}, but no account uses it.`,
        'If you use another address, try again with that one. If it was not you, ignore this e-mail.',
      ),
    }),
    passwordChanged: ({ authUrl }) => ({
      subject: 'Your password was changed',
      text: joinParagraphs(
        `The password of your account at ${authUrl} was changed, and you were signed out elsewhere.`,
        `If it was not you, choose a new password at once: ${authUrl}/password/forgotten`,
      ),
    }),
    confirmEmail: ({ url, expiresAt, emailBefore }) => ({
      subject: 'Confirm your new e-mail address',
      text: joinParagraphs(
        `${emailBefore} wants to use this e-mail address for their account.`,
        `If that is you, confirm it here:\n${url}`,
        `The link works once, until ${formatDateTime(expiresAt, 'en-GB')} UTC. You may have to sign in.`,
        'If it was not you, ignore this e-mail. Nothing changes.',
      ),
    }),
    emailTaken: ({ authUrl }) => ({
      subject: 'This e-mail address has an account already',
      text: joinParagraphs(
        `Somebody, maybe you, wants to use this e-mail address for another account at ${authUrl}. That is not possible, because you have an account with it.`,
        'To use it elsewhere, delete this account first, or change its address. If it was not you, ignore this e-mail. Nothing changes.',
      ),
    }),
    emailChangeRequested: ({ authUrl, email }) => ({
      subject: 'Your e-mail address is about to change',
      text: joinParagraphs(
        `We received a request to change the e-mail address of your account at ${authUrl} to ${email}. It changes when the link that we sent there is opened.`,
        `If it was not you, choose a new password at once. That also cancels the change:\n${authUrl}/password/forgotten`,
      ),
    }),
    accountDeleted: ({ authUrl }) => ({
      subject: 'Your account was deleted',
      text: joinParagraphs(
        `Your account at ${authUrl} was deleted, as you asked. You were signed out everywhere.`,
        'If it was not you, tell the people who run this server.',
      ),
    }),
    test: ({ authUrl }) => ({
      subject: 'Test mail',
      text: joinParagraphs(`The server at ${authUrl} can send mails.`, 'An operator requested this test.'),
    }),
    factorChanged: ({ authUrl, change }) => ({
      subject: 'Your second factors have changed',
      text: joinParagraphs(
        `${factorChanges.en[change]} for your account at ${authUrl}.`,
        `If it was not you, choose a new password at once, then check your second factors:\n${authUrl}/password/forgotten\n${authUrl}/factors`,
      ),
    }),
    emailChanged: ({ authUrl, newEmail }) => ({
      subject: 'Your e-mail address was changed',
      text: joinParagraphs(
        `Your account at ${authUrl} now uses the address ${toSingleLine(newEmail)}. This address no longer opens it.`,
        'If it was not you, ask the people who run the server for help at once.',
      ),
    }),
    newDevice: facts => ({
      subject: 'New sign-in to your account',
      text: joinParagraphs(
        `Somebody signed in to your account at ${facts.authUrl} in a browser that you had not used before.`,
        `When: ${formatDateTime(facts.at, 'en-GB')} UTC\nBrowser: ${joinDevice(facts, 'unknown')}\nIP address: ${facts.address}`,
        'If it was you, you need not do anything.',
        `If it was not you, choose a new password at once:\n${facts.authUrl}/password/forgotten`,
      ),
    }),
    failedSignIns: ({ authUrl }) => ({
      subject: 'Many failed sign-ins',
      text: joinParagraphs(
        `Somebody tried many wrong passwords for your account at ${authUrl}. Further attempts are paused for a minute each time.`,
        'Your account is still safe. You can sign in as usual in browsers that you used before.',
        `Your sign-ins are listed on your account page:\n${authUrl}/console/you`,
        `If your password is short or used elsewhere, choose a new one:\n${authUrl}/password/forgotten`,
      ),
    }),
    failedCodes: ({ authUrl }) => ({
      subject: 'Somebody knows your password',
      text: joinParagraphs(
        `Somebody entered the right password of your account at ${authUrl}, and then many wrong codes. The second factor stopped them.`,
        `If it was not you, choose a new password at once:\n${authUrl}/password/forgotten`,
      ),
    }),
  },
  nl: {
    invitation: ({ workspace, inviter, url, expiresAt }) => ({
      subject: `Uitnodiging voor ${toSingleLine(workspace)}`,
      text: joinParagraphs(
        `${toSingleLine(inviter)} nodigt u uit voor de werkruimte ${toSingleLine(workspace)}.`,
        `Aannemen doet u door dit adres te openen:\n${url}`,
        `Het werkt één keer, alleen voor u, tot ${formatDateTime(expiresAt, 'nl-NL')} UTC.`,
        'Verwachtte u geen uitnodiging? Dan hoeft u niets te doen.',
      ),
    }),
    passwordReset: ({ url, expiresAt }) => ({
      subject: 'Kies een nieuw wachtwoord',
      text: joinParagraphs(
        'Iemand, hopelijk u, heeft een nieuw wachtwoord voor uw account aangevraagd.',
        `Kies het hier:\n${url}`,
        `Dit adres werkt één keer, tot ${formatDateTime(expiresAt, 'nl-NL')} UTC.`,
        'Was u het niet? Dan hoeft u niets te doen: uw wachtwoord blijft zoals het is.',
      ),
    }),
    noAccount: ({ authUrl }) => ({
      subject: 'U hebt hier geen account',
      text: joinParagraphs(
        `Iemand, misschien u, heeft bij ${authUrl} een nieuw wachtwoord aangevraagd, maar er is geen account met dit e-mailadres.`,
        'Gebruikt u een ander adres? Vraag het dan daarmee opnieuw aan. Was u het niet? Dan hoeft u niets te doen.',
      ),
    }),
    passwordChanged: ({ authUrl }) => ({
      subject: 'Uw wachtwoord is gewijzigd',
      text: joinParagraphs(
        `Het wachtwoord van uw account bij ${authUrl} is gewijzigd, en elders bent u afgemeld.`,
        `Was u het niet? Kies dan meteen een nieuw: ${authUrl}/password/forgotten`,
      ),
    }),
    confirmEmail: ({ url, expiresAt, emailBefore }) => ({
      subject: 'Bevestig uw nieuwe e-mailadres',
      text: joinParagraphs(
        `${emailBefore} wil dit e-mailadres voor zijn of haar account gebruiken.`,
        `Bent u dat? Bevestig het dan hier:\n${url}`,
        `Dit adres werkt één keer, tot ${formatDateTime(expiresAt, 'nl-NL')} UTC. Misschien moet u zich aanmelden.`,
        'Was u het niet? Dan hoeft u niets te doen: er verandert niets.',
      ),
    }),
    emailTaken: ({ authUrl }) => ({
      subject: 'Dit e-mailadres heeft al een account',
      text: joinParagraphs(
        `Iemand, misschien u, wil dit e-mailadres voor een ander account bij ${authUrl} gebruiken. Dat kan niet, want u hebt er al een account mee.`,
        'Wilt u het ergens anders gebruiken? Verwijder dan eerst dit account of wijzig het adres ervan. Was u het niet? Dan hoeft u niets te doen: er verandert niets.',
      ),
    }),
    emailChangeRequested: ({ authUrl, email }) => ({
      subject: 'Uw e-mailadres wordt gewijzigd',
      text: joinParagraphs(
        `Er is gevraagd om het e-mailadres van uw account bij ${authUrl} te wijzigen in ${email}. Het verandert zodra iemand de link opent die we daarheen hebben gestuurd.`,
        `Was u het niet? Kies dan meteen een nieuw wachtwoord. Daarmee gaat ook de wijziging niet door:\n${authUrl}/password/forgotten`,
      ),
    }),
    accountDeleted: ({ authUrl }) => ({
      subject: 'Uw account is verwijderd',
      text: joinParagraphs(
        `Uw account bij ${authUrl} is verwijderd, zoals u vroeg. U bent overal afgemeld.`,
        'Was u het niet? Laat het dan weten aan de mensen die deze server beheren.',
      ),
    }),
    test: ({ authUrl }) => ({
      subject: 'Testmail',
      text: joinParagraphs(
        `De server op ${authUrl} kan mails versturen.`,
        'Een beheerder heeft deze test aangevraagd.',
      ),
    }),
    factorChanged: ({ authUrl, change }) => ({
      subject: 'Uw tweede factoren zijn gewijzigd',
      text: joinParagraphs(
        `${factorChanges.nl[change]} bij uw account bij ${authUrl}.`,
        `Was u het niet? Kies dan meteen een nieuw wachtwoord en controleer uw tweede factoren:\n${authUrl}/password/forgotten\n${authUrl}/factors`,
      ),
    }),
    emailChanged: ({ authUrl, newEmail }) => ({
      subject: 'Uw e-mailadres is gewijzigd',
      text: joinParagraphs(
        `Uw account bij ${authUrl} gebruikt nu het adres ${toSingleLine(newEmail)}. Dit adres geeft geen toegang meer.`,
        'Was u het niet? Vraag dan meteen hulp aan de mensen die de server beheren.',
      ),
    }),
    newDevice: facts => ({
      subject: 'Nieuwe aanmelding bij uw account',
      text: joinParagraphs(
        `Iemand heeft zich bij uw account bij ${facts.authUrl} aangemeld in een browser die u nog niet eerder gebruikte.`,
        `Wanneer: ${formatDateTime(facts.at, 'nl-NL')} UTC\nBrowser: ${joinDevice(facts, 'onbekend')}\nIP-adres: ${facts.address}`,
        'Was u het? Dan hoeft u niets te doen.',
        `Was u het niet? Kies dan meteen een nieuw wachtwoord:\n${facts.authUrl}/password/forgotten`,
      ),
    }),
    failedSignIns: ({ authUrl }) => ({
      subject: 'Veel mislukte aanmeldingen',
      text: joinParagraphs(
        `Iemand heeft veel verkeerde wachtwoorden geprobeerd voor uw account bij ${authUrl}. Verdere pogingen worden telkens een minuut tegengehouden.`,
        'Uw account is nog veilig. In browsers die u al gebruikte, meldt u zich aan zoals altijd.',
        `Uw aanmeldingen staan op uw accountpagina:\n${authUrl}/console/you`,
        `Is uw wachtwoord kort, of gebruikt u het ook elders? Kies dan een nieuw:\n${authUrl}/password/forgotten`,
      ),
    }),
    failedCodes: ({ authUrl }) => ({
      subject: 'Iemand kent uw wachtwoord',
      text: joinParagraphs(
        `Iemand heeft het juiste wachtwoord van uw account bij ${authUrl} ingevuld, en daarna veel verkeerde codes. De tweede factor hield diegene tegen.`,
        `Was u het niet? Kies dan meteen een nieuw wachtwoord:\n${authUrl}/password/forgotten`,
      ),
    }),
  },
}

type WithLanguage<T> = {
  [K in keyof T]: T[K] extends (facts: infer Facts) => MailContent
    ? (facts: Facts) => MailContent & { language: Language }
    : never
}

const addLanguage = (language: Language) =>
  Object.fromEntries(
    Object.entries(templates[language]).map(([name, write]) => [
      name,
      (facts: never) => ({ ...write(facts), language }),
    ]),
    // The same names and facts as above.
  ) as unknown as WithLanguage<MailTemplates>

/** Contents of mails, with their language. */
export const mailTemplates: Readonly<Record<Language, WithLanguage<MailTemplates>>> = {
  en: addLanguage('en'),
  nl: addLanguage('nl'),
}
