/** The step after the password: a code, a recovery code or a passkey. */
import { displayEmail } from '@querent/contract/email-address'
import { alert, field, form, passkeyForm } from './form.ts'
import { html, type Markup } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export const codeFaults = [
  'missing',
  'refused',
  'unreadable',
  'recoveryRefused',
  'throttled',
  'passkey',
] as const
export type CodeFault = (typeof codeFaults)[number]

export interface SecondFactorFacts {
  token: string
  /** Address of the person. */
  email: string
  hasApp: boolean
  /** Options for one of the person's passkeys; undefined: they have none, or the server cannot use any. */
  passkeyOptions: object | undefined
  /** Host name that all passkeys of the person belong to, if it is a former one of this server. */
  formerHost: string | undefined
  scriptUrl: string
  /** The reader chose to use a recovery code. */
  wantsRecoveryCode: boolean
  fault: CodeFault | undefined
  /** An application requires the second factor; the person is signed in with a password. */
  isUpgrade: boolean
  otherAccountUrl: string
  /** Whether a button cancels the sign-in to an application. */
  mayCancel: boolean
}

export const secondFactorPage = (locale: Locale, facts: SecondFactorFacts): Page => {
  const { step } = locale.texts.factors
  const { passkeyOptions, fault, token, email, mayCancel, scriptUrl } = facts
  return renderPage(locale, {
    title: step.title,
    status: fault === undefined ? 200 : fault === 'throttled' ? 429 : 422,
    leadsToApplication: mayCancel,
    scriptUrl: passkeyOptions && scriptUrl,
    main: html`<p class="quiet">${facts.isUpgrade ? locale.texts.signedInAs({ email }) : displayEmail(email)}</p>
<p>${facts.isUpgrade ? step.upgrade : step.text}</p>
${(fault === 'throttled' || fault === 'passkey') && alert(html`${step.faults[fault]}`)}
${facts.formerHost !== undefined && html`<p>${step.formerPasskey({ host: facts.formerHost })}</p>`}
${passkeyOptions && passkeyStep(locale, token, passkeyOptions)}
${codeForm(locale, facts)}
<p class="lone"><a href="${facts.otherAccountUrl}">${locale.texts.otherAccount}</a></p>
<p class="hint">${step.lost}</p>`,
  })
}

const passkeyStep = ({ texts }: Locale, token: string, options: object): Markup => {
  const { passkey, step } = texts.factors
  return html`${passkeyForm(token, {
    kind: 'get',
    options,
    button: passkey.use,
    faults: { failed: passkey.failed, exists: passkey.exists },
  })}
<noscript><p class="hint">${step.noScript}</p></noscript>`
}

const codeForm = (
  locale: Locale,
  { hasApp, wantsRecoveryCode, fault, token, mayCancel }: SecondFactorFacts,
) => {
  const { step } = locale.texts.factors
  const isForApp = hasApp && !wantsRecoveryCode && fault !== 'unreadable'
  return form(
    token,
    [
      field({
        name: 'code',
        label: isForApp ? step.code : step.recoveryCode,
        type: 'text',
        autocomplete: isForApp ? 'one-time-code' : 'off',
        isNumeric: isForApp,
        hint: isForApp ? step.codeHint : step.recoveryHint,
        fault: fault && fault !== 'throttled' && fault !== 'passkey' ? step.faults[fault] : undefined,
        faultOfForm: fault === 'throttled',
        focus: true,
        ...(hasApp && {
          link: isForApp
            ? { href: '?with=recovery-code', text: step.useRecoveryCode }
            : { href: '?with=app', text: step.useApp },
        }),
      }),
    ],
    [
      { text: step.submit, action: 'verify' },
      ...(mayCancel ? [{ text: locale.texts.login.cancel, action: 'cancel', plain: true }] : []),
    ],
  )
}
