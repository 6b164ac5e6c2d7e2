import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Plan } from '#engines/engine'
import { type Bench, deadlineMs, makePlan, match, putDocument } from './engine.suite.plans.ts'

/** Tests that pruning, which an engine may do without a total, does not change the page. */
export function pruningSuite({ engine, generationWith }: Bench): void {
  it('returns the same page with and without the total', async () => {
    const generation = await generationWith({})
    // Three commits with texts of very different lengths, equal documents and deleted ones.
    for (const [commit, words] of [4, 40, 12].entries()) {
      await engine().write(
        generation,
        Array.from({ length: 3_000 }, (_, index) =>
          putDocument(`${commit}-${index}`, documentAt(7 * commit + (index % 2_500), words)),
        ),
      )
      await engine().write(
        generation,
        Array.from({ length: 100 }, (_, index) => ({ delete: `${commit}-${index * 29}` })),
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
        const plan: Plan = { ...makePlan([{ ...match(query), fields }]), offset, count }
        const { total, ...fullReply } = await engine().search(generation, plan, deadlineMs)
        const { total: prunedTotal, ...page } = await engine().search(
          generation,
          { ...plan, total: false },
          deadlineMs,
        )
        assert.deepEqual(page, fullReply, `${query} from ${offset}`)
        assert.ok(prunedTotal >= page.hits.length && prunedTotal <= total)
      }
  })
}

/** Words with a natural frequency: each number is about half as frequent as the number of half its size. */
const documentAt = (seed: number, words: number) => {
  let state = seed + 1
  const word = () => {
    state = (state * 48_271) % 2_147_483_647
    return `w${Math.floor(400 ** (state / 2_147_483_647)) - 1}`
  }
  const text = Array.from({ length: words + (seed % 5) }, word).join(' ')
  return { title: word(), text }
}
