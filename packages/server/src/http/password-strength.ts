/**
 * How hard a new password is to guess, estimated here: it goes to no other service (NIST SP 800-63B-4, section 3.1.1.2; OWASP ASVS 5.0,
 * V6.2). No rules on kinds of characters, which people meet with `Password1!`.
 */
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

export const passwordCharactersMin = 8
export const passwordBytesMax = 1000
/** Of 4: "safely unguessable", more than 10^8 guesses. */
const scoreMin = 3
/** The estimator's time grows with the square of the length; what comes behind makes no weak password strong. 64 take 0.25 s at worst. */
const estimatedCharactersMax = 64
const personalWordsMax = 20
/** Known to whoever attacks this server. */
const serviceWords = ['querent']
/** Letters and digits that must be left beside the words that an attacker knows: one more than a year has. */
const ownCharactersMin = 5

/** What makes a password weak: the estimator's own words for it. */
export type Weakness =
  | 'keyboard'
  | 'repeated'
  | 'sequence'
  | 'date'
  | 'common'
  | 'single-word'
  | 'name'
  | 'personal'
  | 'guessable'

export type Strength = 'good' | 'too-short' | 'too-long' | Weakness

const weaknesses: ReadonlyMap<string, Weakness> = new Map([
  ['straightRow', 'keyboard'],
  ['keyPattern', 'keyboard'],
  ['simpleRepeat', 'repeated'],
  ['extendedRepeat', 'repeated'],
  ['sequences', 'sequence'],
  ['recentYears', 'date'],
  ['dates', 'date'],
  ['topTen', 'common'],
  ['topHundred', 'common'],
  ['common', 'common'],
  ['similarToCommon', 'common'],
  ['wordByItself', 'single-word'],
  ['namesByThemselves', 'name'],
  ['commonNames', 'name'],
  ['userInputs', 'personal'],
])

let estimator: Promise<ZxcvbnFactory> | undefined

/** Loaded when the first password is chosen: the words take 0.3 s and 70 MB. */
const loadEstimator = async (): Promise<ZxcvbnFactory> => {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ])
  return new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    maxLength: estimatedCharactersMax,
  })
}

/** What an attacker who knows the person tries first: the service, address, name, and their parts. */
const personalWords = (personal: readonly string[]): string[] =>
  [...serviceWords, ...personal]
    .flatMap(text => [text, ...text.split('@'), ...text.split(/[^\p{L}\p{N}]+/u)])
    .filter(word => word.length > 2)
    .slice(0, personalWordsMax)

/** Whether it is such words, again and again, with next to nothing else. The estimator takes three words in a row for a good password. */
const isMadeOf = (password: string, words: readonly string[]): boolean => {
  const longestFirst = words.map(word => word.toLowerCase()).toSorted((a, b) => b.length - a.length)
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ' '), password.toLowerCase())
  if (rest === password.toLowerCase()) return false
  return [...rest.replaceAll(/[^\p{L}\p{N}]/gu, '')].length < ownCharactersMin
}

/** Whether `password` may become that of a person with this e-mail address, name and the like; if not, why. */
export const passwordStrength = async (password: string, personal: readonly string[]): Promise<Strength> => {
  if (Buffer.byteLength(password) > passwordBytesMax) return 'too-long'
  if ([...password].length < passwordCharactersMin) return 'too-short'
  const words = personalWords(personal)
  if (isMadeOf(password, words)) return 'personal'
  estimator ??= loadEstimator()
  const { score, feedback } = (await estimator).check(password, words)
  if (score >= scoreMin) return 'good'
  return weaknesses.get(feedback.warning ?? '') ?? 'guessable'
}
