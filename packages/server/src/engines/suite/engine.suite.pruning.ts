import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Plan } from '#engines/engine'
import { type Bench, deadlineMs, match, planOf, put } from './engine.suite.plans.ts'

/** What an engine may leave out when nobody asks for the total makes no difference to the page. */
export function pruningSuite({ engine, generationWith }: Bench): void {
  it('is the same page whether the total is asked for or not', async () => {
    const generation = await generationWith({})
    // Three commits whose texts are of very different lengths, with documents alike and documents gone.
    for (const [commit, words] of [4, 40, 12].entries()) {
      await engine().write(
        generation,
        Array.from({ length: 3_000 }, (_, at) =>
          put(`${commit}-${at}`, documentAt(7 * commit + (at % 2_500), words)),
        ),
      )
      await engine().write(
        generation,
        Array.from({ length: 100 }, (_, at) => ({ delete: `${commit}-${at * 29}` })),
      )
      await engine().refresh(generation)
    }
    const queries = ['w0', 'w1 w2', 'w0 w1 w2', 'w3 w40 w200', 'w0 w0 w399', 'w5 nowhere', 'nowhere']
    for (const query of queries)
      for (const [offset, count] of [
        [0, 1],
        [0, 10],
        [17, 5],
        [0, 100],
        [5_000, 20],
      ] as const) {
        const fields = [
          { name: 'title', weight: 0.3 },
          { name: 'text', weight: 2 },
        ]
        const plan: Plan = { ...planOf([{ ...match(query), fields }]), offset, count }
        const { total, ...whole } = await engine().search(generation, plan, deadlineMs)
        const { total: seen, ...page } = await engine().search(
          generation,
          { ...plan, total: false },
          deadlineMs,
        )
        assert.deepEqual(page, whole, `${query} from ${offset}`)
        assert.ok(seen >= page.hits.length && seen <= total)
      }
  })
}

/** Words as frequent as words are: each number about half as often as that of half its size. */
const documentAt = (seed: number, words: number) => {
  let state = seed + 1
  const word = () => {
    state = (state * 48_271) % 2_147_483_647
    return `w${Math.floor(400 ** (state / 2_147_483_647)) - 1}`
  }
  const text = Array.from({ length: words + (seed % 5) }, word).join(' ')
  return { title: word(), text }
}
