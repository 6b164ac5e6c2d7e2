/** The estimator behind {@link passwordStrength}: for a worker thread, since its words take 0.3 s to load and its estimates many ms. */
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

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

/** Of 4: "safely unguessable", more than 10^8 guesses. */
const scoreMin = 3
/** The estimator's time grows with the square of the length; what follows makes no weak password strong. */
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

/** Estimates a password that is neither too short nor too long. `words` are those that an attacker tries first. */
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
