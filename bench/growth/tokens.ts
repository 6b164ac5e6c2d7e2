/** What sign-ins and tokens cost the authorization server, what it keeps of them, and for how long it is away to forget them. */
import { type Figure, figureOf } from '#bench/figure'
import { rounds, type Say } from '#bench/http/rounds'
import { runStep } from './step.ts'
import type { TokensFound, TokensTask } from './tokens-process.ts'

export const tokensGrowth = async ({ say }: { say: Say }): Promise<Figure[]> => {
  say('people sign in, get codes and refresh')
  const task: TokensTask = { rounds }
  const found = await runStep<TokensFound>('measure', 'tokens-process.ts', task)
  const lower = { better: 'lower' } as const
  return [
    ...Object.entries(found.processorUs).map(([name, us]) =>
      figureOf(us, { name: `${name}, processor`, unit: 'µs', ...lower }),
    ),
    ...found.rows.map(({ model, rows }) =>
      figureOf([rows], {
        name: `${model}: rows of a sign-in with two codes and ten refreshes`,
        unit: '',
        ...lower,
      }),
    ),
    ...Object.entries(found.bytes).map(([model, bytes]) =>
      figureOf([bytes], { name: `${model}: on disk, with its indexes`, unit: 'bytes', ...lower }),
    ),
    ...found.pruneMs.flatMap(({ expired: at, recordsMs, revocationsMs }) =>
      Object.entries({ 'refresh tokens': recordsMs, revocations: revocationsMs }).map(([what, ms]) => {
        const of = `removing expired ${what}`
        const name = `${of}, ${at.toLocaleString('en-US')}`
        return figureOf([ms], { name, unit: 'ms', ...lower, point: { of, at } })
      }),
    ),
  ]
}
