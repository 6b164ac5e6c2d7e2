/** The field for a new password and its error messages. */

import type { Strength, Weakness } from '#accounts/password-estimator'
import { english } from '#languages/languages'
import { field } from './form.ts'
import type { Markup } from './html.ts'
import type { Locale } from './language.ts'

export type PasswordFault = 'missing' | 'throttled' | Exclude<Strength, 'good'>

/** Returns the fault of that name, if any. */
export const parsePasswordFault = (text: string | undefined): PasswordFault | undefined =>
  faults.find(fault => fault === text)

const faults: readonly PasswordFault[] = [
  'missing',
  'throttled',
  'too-short',
  'too-long',
  // The texts have all of them.
  ...(Object.keys(english.pages.newPassword.weaknesses) as Weakness[]),
]

const describeFault = ({ texts }: Locale, fault: PasswordFault, lengthMin: number): string => {
  const { newPassword } = texts
  if (fault === 'missing') return newPassword.missing
  if (fault === 'throttled') return newPassword.throttled
  if (fault === 'too-short') return newPassword.tooShort({ count: lengthMin })
  return fault === 'too-long'
    ? newPassword.tooLong
    : newPassword.weak({ reason: newPassword.weaknesses[fault] })
}

/** Status of a page that shows the fault (RFC 6585, section 4). */
export const passwordFaultStatus = (fault: PasswordFault | undefined): 422 | 429 =>
  fault === 'throttled' ? 429 : 422

/** `lengthMin`: fewest characters. */
export const newPasswordField = (
  locale: Locale,
  { fault, focus, lengthMin }: { fault: PasswordFault | undefined; focus: boolean; lengthMin: number },
): Markup =>
  field({
    name: 'password',
    label: locale.texts.newPassword.label,
    type: 'password',
    autocomplete: 'new-password',
    show: locale.texts.showPassword,
    fault: fault && describeFault(locale, fault, lengthMin),
    // A fault repeats the advice.
    ...(fault === undefined ? { hint: locale.texts.newPassword.advice({ count: lengthMin }) } : {}),
    focus,
  })
