/** Texts of the pages. A text with placeholders is a function of their values. */
import { displayEmail } from '@querent/contract/email-address'
import type en from './en.json'
import { fillPlaceholders, isPlural } from './merge-texts.ts'

/** Placeholders by the path of the text, because the type of a JSON file has no literals. A test compares them with the English texts. */
export const pageValues = {
  faultInTitle: ['title'],
  signedInAs: ['email'],
  back: ['application'],
  'ways.application': ['title'],
  'ways.native': ['title'],
  'newPassword.advice': ['count'],
  'newPassword.tooShort': ['count'],
  'newPassword.weak': ['reason'],
  'login.to': ['application'],
  'login.toOfWorkspace': ['application', 'workspace'],
  'factors.step.formerPasskey': ['host'],
  'factors.passkey.former': ['host'],
  'factors.required.workspace': ['workspace'],
  'factors.required.application': ['application'],
  'factors.overview.appSince': ['date'],
  'factors.overview.passkeyUnused': ['created'],
  'factors.overview.passkeyUsed': ['created', 'lastUsed'],
  'factors.overview.codesLeft': ['count'],
  'factors.passkeyPage.changeTitle': ['name'],
  'provider.with': ['name'],
  'provider.factor.workspace': ['workspace'],
  'provider.factor.application': ['application'],
  'provider.choose.text': ['email'],
  'member.text': ['email', 'workspace'],
  'member.ask': ['workspace'],
  'wrongAccount.text': ['application'],
  'consent.title': ['application'],
  'consent.ofWorkspace': ['workspace'],
  'consent.ofHost': ['host', 'workspace'],
  'consent.sendsBack': ['place'],
  'consent.policy': ['application'],
  'consent.terms': ['application'],
  'consent.permissions.searchIn': ['address'],
  'consent.permissions.claim': ['name'],
  'device.confirmTitle': ['application'],
  'device.connected': ['application'],
  'formPost.title': ['application'],
  'logout.textForApplication': ['application'],
  'loggedOut.textForApplication': ['application'],
  'forgotten.sent': ['email'],
  'forgotten.limits.network': ['email'],
  'forgotten.limits.address': ['email'],
  'forgotten.limits.wait': ['count'],
  'domain.title': ['domain'],
  'providerTest.text': ['issuer', 'workspace'],
  'domain.text': ['domain', 'workspace', 'issuer'],
  'domain.done': ['domain', 'workspace'],
  'changeEmail.text': ['before', 'email'],
  'changeEmail.done': ['email'],
  'reset.doneSignedIn': ['email'],
  'invitation.title': ['workspace'],
  'invitation.text': ['inviter', 'workspace'],
  'invitation.other': ['invited'],
  'invitation.switchTo': ['invited'],
  'invitation.joinedTitle': ['workspace'],
  'invitation.joined': ['email'],
  'invitation.joinedSignedIn': ['email'],
  'invitation.states.expired.text': ['workspace'],
  'invitation.states.accepted.text': ['workspace'],
  'invitation.states.withdrawn.text': ['workspace'],
  'invitation.states.inviterLeft.text': ['workspace'],
  'error.reasons.missing': ['name'],
  'error.reasons.twice': ['name'],
  'error.reasons.logoutAddress': ['name'],
  'error.reasons.hint': ['name'],
} as const

type Values = typeof pageValues

type WithValues<T, Path extends string = ''> = {
  [K in keyof T & string]: `${Path}${K}` extends infer TextPath extends keyof Values
    ? (values: Record<Values[TextPath][number], string | number>) => string
    : T[K] extends string
      ? string
      : WithValues<T[K], `${Path}${K}.`>
}

export type PageTexts = WithValues<(typeof en)['pages']>

/** `pages` are texts of the pages in the shape of the English ones; `locale` says how to write numbers, and which plural a count needs. */
export const buildPageTexts = (pages: (typeof en)['pages'], locale: string): PageTexts => {
  const rules = new Intl.PluralRules(locale)
  const format = (value: string | number) => {
    if (typeof value === 'number') return value.toLocaleString(locale)
    return value.includes('@') ? displayEmail(value) : value
  }
  const fill = (text: unknown, values: Readonly<Record<string, string | number>>): string => {
    const form = isPlural(text) ? (text[rules.select(Number(values.count))] ?? text.other) : String(text)
    return fillPlaceholders(
      form,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, format(value)])),
    )
  }
  const build = (value: unknown, path: string): unknown => {
    if (path in pageValues) return (values: Readonly<Record<string, string | number>>) => fill(value, values)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, build(part, path === '' ? key : `${path}.${key}`)]),
    )
  }
  // Functions where `pageValues` has the path, as the type says.
  return build(pages, '') as PageTexts
}
