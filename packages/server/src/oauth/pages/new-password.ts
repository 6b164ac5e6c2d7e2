/** The field for a new password, and what the estimator says of one. */
import type { Strength, Weakness } from '#http/password-strength'
import { field } from './form.ts'
import type { Markup } from './html.ts'
import type { Speech } from './language.ts'
import { en } from './texts/en.ts'

export type PasswordFault = 'missing' | Exclude<Strength, 'good'>

/** What a page was told is the fault, when it is one. */
export const passwordFaultIn = (text: string | undefined): PasswordFault | undefined =>
  faults.find(fault => fault === text)

const faults: readonly PasswordFault[] = [
  'missing',
  'too-short',
  'too-long',
  // Its texts have each of them.
  ...(Object.keys(en.newPassword.weaknesses) as Weakness[]),
]

const wordsOf = ({ texts }: Speech, fault: PasswordFault): string => {
  const { newPassword } = texts
  if (fault === 'missing') return newPassword.missing
  if (fault === 'too-short') return newPassword.tooShort
  return fault === 'too-long' ? newPassword.tooLong : newPassword.weak(newPassword.weaknesses[fault])
}

export const newPasswordField = (
  speech: Speech,
  { fault, focus }: { fault: PasswordFault | undefined; focus: boolean },
): Markup =>
  field({
    name: 'password',
    label: speech.texts.newPassword.label,
    type: 'password',
    autocomplete: 'new-password',
    fault: fault && wordsOf(speech, fault),
    // A fault says it again.
    ...(fault === undefined ? { hint: speech.texts.newPassword.advice } : {}),
    focus,
  })
