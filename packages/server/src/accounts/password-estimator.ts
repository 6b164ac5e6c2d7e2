/** Estimates the strength of passwords. It runs in a worker thread, because its words take 0.3 s to load and an estimate many ms. */
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/** Reasons why a password is weak. */
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

/** Score of 0 to 4; 3 is "safely unguessable", more than 10^8 guesses. */
const scoreMin = 3
/** Only this many characters are estimated, because the time grows with the square of the length. */
const estimatedCharactersMax = 32

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

/** Loads the estimator for the first password, because its words take 0.3 s and 70 MB. */
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

/** Estimates a password of valid length. `words` are those that an attacker would try first. */
export const estimatePassword = async ({
  password,
  words,
}: {
  password: string
  words: readonly string[]
}): Promise<Strength> => {
  estimator ??= loadEstimator()
  const { score, feedback } = (await estimator).check(password, [...words])
  if (score >= scoreMin) return 'good'
  return weaknesses.get(feedback.warning ?? '') ?? 'guessable'
}
