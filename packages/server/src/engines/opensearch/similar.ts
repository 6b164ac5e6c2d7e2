/** Documents like a given one: those that share its most telling words. */
import { lookupOf } from './conditions.ts'
import { termClause } from './matching.ts'
import { textFieldOf, textsOf } from './schema.ts'
import { countsOf, type Ground } from './search-context.ts'
import { addTerm, nothingWanted, type Term, type Wanted } from './words.ts'

/** So many words of a document tell what it is about. */
const tellingWordsMax = 25
/** Words of a long document that are looked at, in each field: each costs a look into the index. */
const wordsMax = 5_000

/**
 * The words to look for, each as if it were typed as often as the document has it. Nothing where there is no such document among those
 * that may be seen: what a row filter hides must not show in what is like it.
 */
export async function tellingWords(
  ground: Ground,
  id: string,
  fields: readonly { name: string; weight: number }[],
): Promise<Wanted | undefined> {
  const checked = fields.map(({ name, weight }) => ({ field: textFieldOf(ground.schema, name), weight }))
  const { clause } = lookupOf([{ score: 1, values: [id] }])
  const [reply] = await ground.ask([
    { size: 1, _source: ['entity'], query: { bool: { filter: [clause, ...ground.visible] } } },
  ])
  const entity = reply?.hits.hits[0]?._source?.entity
  if (entity === undefined) return undefined
  const terms = new Map<string, Term>()
  for (const { field, weight } of checked) {
    const words = await ground.analyser.words(field.language, textsOf(field, entity))
    const spoken = words.flat().filter(({ stop }) => !stop)
    for (const { text } of spoken.slice(0, wordsMax)) {
      const key = `${field.column} ${text}`
      const times = (terms.get(key)?.weight ?? 0) / weight + 1
      terms.set(key, { field, text, stop: false, weight: weight * times })
    }
  }
  const all = [...terms.values()]
  const [documents = 0, ...counts] = await countsOf(ground, [
    { match_all: {} },
    ...all.map(term => termClause(term)),
  ])
  const wanted = nothingWanted()
  const telling = all
    .map((term, at) => ({ term, count: counts[at] ?? 0 }))
    // What only this document has finds no other.
    .filter(({ count }) => count > 1)
    .map(({ term, count }) => ({ term, worth: term.weight * Math.log(1 + documents / count) }))
    .sort(
      (left, right) =>
        right.worth - left.worth ||
        (`${left.term.field.column} ${left.term.text}` < `${right.term.field.column} ${right.term.text}`
          ? -1
          : 1),
    )
    .slice(0, tellingWordsMax)
  for (const { term } of telling) addTerm(wanted, term)
  return wanted
}
