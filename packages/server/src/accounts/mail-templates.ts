/** Writes mails from the texts of a language. Their links are secrets of the recipient. */

import { displayEmail } from '@querent/contract/email-address'
import { findTexts, type Language, languages } from '#languages/languages'
import { fillPlaceholders } from '#languages/merge-texts'

/** Subject and plain text of a mail, and their language. */
export interface MailContent {
  /** Name of the template. */
  purpose: string
  subject: string
  text: string
  language: Language
  /** When the link of the mail stops to work, in milliseconds since 1970. */
  expiresAt?: number
}

interface MailTemplates {
  /** `inviter` invited the reader into a workspace; valid until `expiresAt` (milliseconds since 1970). */
  invitation(facts: { workspace: string; inviter: string; url: string; expiresAt: number }): MailContent
  /** A new password was requested for the reader's address. */
  passwordReset(facts: { url: string; expiresAt: number }): MailContent
  /** A new password was requested for an address without an account. */
  noAccount(facts: { authUrl: string }): MailContent
  passwordChanged(facts: { authUrl: string }): MailContent
  dataExported(facts: { authUrl: string }): MailContent
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
  /** To the postmaster of a domain of a workspace's own OpenID provider. */
  domainLink(facts: {
    domain: string
    workspace: string
    person: string
    issuer: string
    url: string
    expiresAt: number
  }): MailContent
  /** To administrators: the TXT record of a domain is gone. */
  domainFailing(facts: DomainFacts): MailContent
  /** To administrators: the proof has ended. */
  domainEnded(facts: DomainFacts): MailContent
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

/** `url`: of the console. `endsAt`: when the proof ends. */
interface DomainFacts {
  domain: string
  workspace: string
  record: string
  url: string
  endsAt: number
}

/** Changes of a person's second factors that a mail reports. */
export type FactorChange =
  | 'app-added'
  | 'app-replaced'
  | 'app-removed'
  | 'passkey-added'
  | 'passkey-renamed'
  | 'passkey-removed'
  | 'codes-replaced'
  /** By an operator. */
  | 'all-removed'

/** Makes user input one short line for a subject or sentence. */
const toSingleLine = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}

const formatDateTime = (ms: number, locale: string): string =>
  new Date(ms).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

const createTemplates = (language: Language): MailTemplates => {
  const { mails, locale } = findTexts(language)
  const write = (
    purpose: keyof MailTemplates,
    values: Readonly<Record<string, string>>,
    expiresAt?: number,
  ): MailContent => {
    const { subject, text }: { subject: string; text: readonly string[] } = mails[purpose]
    return {
      purpose,
      subject: fillPlaceholders(subject, values),
      text: `${text.map(paragraph => fillPlaceholders(paragraph, values)).join('\n\n')}\n`,
      language,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
  }
  return {
    invitation: ({ workspace, inviter, url, expiresAt }) =>
      write(
        'invitation',
        {
          workspace: toSingleLine(workspace),
          inviter: toSingleLine(displayEmail(inviter)),
          url,
          until: formatDateTime(expiresAt, locale),
        },
        expiresAt,
      ),
    passwordReset: ({ url, expiresAt }) =>
      write('passwordReset', { url, until: formatDateTime(expiresAt, locale) }, expiresAt),
    noAccount: facts => write('noAccount', facts),
    passwordChanged: facts => write('passwordChanged', facts),
    dataExported: facts => write('dataExported', facts),
    confirmEmail: ({ url, expiresAt, emailBefore }) =>
      write(
        'confirmEmail',
        {
          url,
          emailBefore: displayEmail(emailBefore),
          until: formatDateTime(expiresAt, locale),
        },
        expiresAt,
      ),
    emailTaken: facts => write('emailTaken', facts),
    emailChangeRequested: ({ authUrl, email }) =>
      write('emailChangeRequested', { authUrl, email: displayEmail(email) }),
    accountDeleted: facts => write('accountDeleted', facts),
    test: facts => write('test', facts),
    factorChanged: ({ authUrl, change }) =>
      write('factorChanged', { authUrl, change: mails.factorChanged.changes[change] }),
    emailChanged: ({ authUrl, newEmail }) =>
      write('emailChanged', { authUrl, newEmail: toSingleLine(newEmail) }),
    newDevice: ({ authUrl, browser, system, address, at }) =>
      write('newDevice', {
        authUrl,
        address,
        time: formatDateTime(at, locale),
        browser: toSingleLine([browser, system].filter(Boolean).join(', ')) || mails.newDevice.unknownBrowser,
      }),
    domainLink: ({ expiresAt, ...facts }) =>
      write(
        'domainLink',
        {
          ...facts,
          workspace: toSingleLine(facts.workspace),
          person: toSingleLine(facts.person),
          issuer: toSingleLine(facts.issuer),
          until: formatDateTime(expiresAt, locale),
        },
        expiresAt,
      ),
    domainFailing: ({ endsAt, ...facts }) =>
      write('domainFailing', {
        ...facts,
        workspace: toSingleLine(facts.workspace),
        until: formatDateTime(endsAt, locale),
      }),
    domainEnded: ({ endsAt: _, ...facts }) =>
      write('domainEnded', { ...facts, workspace: toSingleLine(facts.workspace) }),
    failedSignIns: facts => write('failedSignIns', facts),
    failedCodes: facts => write('failedCodes', facts),
  }
}

const englishTemplates = createTemplates('en')
const templates: ReadonlyMap<Language, MailTemplates> = new Map(
  languages.map(language => [language, language === 'en' ? englishTemplates : createTemplates(language)]),
)

/** Returns what writes the mails of a language; those of English if the language is unknown. */
export const mailTemplates = (language: Language): MailTemplates =>
  templates.get(language) ?? englishTemplates
