/**
 * Estimates how hard a new password is to guess, without another service (NIST SP 800-63B-4, section 3.1.1.2;
 * OWASP ASVS 5.0, V6.2). No rules on kinds of characters, which lead to `Password1!`.
 */
import type { Storage } from '#storage/db'
import { beginAttempt, type Limit } from '#storage/throttles'
import { defineWorkerTask, passwordPool } from '#workers/worker-pool'
import type { Strength } from './password-estimator.ts'
import { normalizePassword } from './password-hash.ts'

const estimateTask = defineWorkerTask<typeof import('./password-estimator.ts'), 'estimatePassword'>(
  '#accounts/password-estimator',
  'estimatePassword',
)

export const passwordBytesMax = 1000
const personalWordsMax = 20
/** Known to any attacker of this server. */
const serviceWords = ['querent']
/** Letters and digits required besides known words: one more than a year has. */
const ownCharactersMin = 5

/** Returns words that an attacker tries first: service, address, name, and their parts. */
const personalWords = (personal: readonly string[]): string[] =>
  [...serviceWords, ...personal]
    .flatMap(text => [text, ...text.split('@'), ...text.split(/[^\p{L}\p{N}]+/u)])
    .filter(word => word.length > 2)
    .slice(0, personalWordsMax)

/** Whether the password is little more than repeated known words, which the estimator rates as good. */
const isMostlyWords = (password: string, words: readonly string[]): boolean => {
  const longestFirst = words.map(word => word.toLowerCase()).toSorted((a, b) => b.length - a.length)
  const rest = longestFirst.reduce((text, word) => text.replaceAll(word, ' '), password.toLowerCase())
  if (rest === password.toLowerCase()) return false
  return [...rest.replaceAll(/[^\p{L}\p{N}]/gu, '')].length < ownCharactersMin
}

export interface PasswordRules {
  /** Fewest characters (Unicode code points). */
  lengthMin: number
  /** Address, name and so on of the person. */
  personal: readonly string[]
}

/** Counts code points: those typed or those hashed, whichever are fewer. An accent may be one of its own, and a ligature several. */
const countCharacters = (password: string): number =>
  Math.min([...password].length, [...normalizePassword(password)].length)

/** Rates a new password. */
export const passwordStrength = async (
  password: string,
  { lengthMin, personal }: PasswordRules,
): Promise<Strength> => {
  if (Buffer.byteLength(password) > passwordBytesMax) return 'too-long'
  if (countCharacters(password) < lengthMin) return 'too-short'
  const words = personalWords(personal)
  if (isMostlyWords(password, words)) return 'personal'
  return passwordPool.run(personal[0] ?? '', estimateTask, { password, words })
}

const minuteMs = 60 * 1000

/**
 * The same for passwords tried by a person, limited to `limits` weak ones a minute: estimates are expensive,
 * and a link survives weak passwords. Good passwords do not count.
 */
export const throttledPasswordStrength = async (
  storage: Pick<Storage, 'db' | 'kind'>,
  limits: readonly Limit[],
  password: string,
  rules: PasswordRules,
): Promise<Strength | 'throttled'> => {
  const attempt = await beginAttempt(storage, limits, minuteMs)
  if (!attempt) return 'throttled'
  const strength = await passwordStrength(password, rules)
  if (strength === 'good') await attempt.takeBack()
  return strength
}
