/** What sign-ins and tokens cost the authorization server, what it keeps of them, and for how long it is away to forget them. */
import { type Figure, figureOf } from '#bench/figure'
import { rounds } from '#bench/http/rounds'
import { addTo, type Growing } from './points.ts'
import { runStep } from './step.ts'
import type { TokensFound, TokensTask } from './tokens-process.ts'

export const tokensGrowth = async ({ say }: Growing): Promise<Figure[]> => {
  say('people sign in, get codes and refresh')
  const task: TokensTask = { rounds }
  const found = await runStep<TokensFound>('measure', 'tokens-process.ts', task)
  const lower = { better: 'lower' } as const
  const figures = [
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
  ]
  for (const { expired, recordsMs, revocationsMs } of found.pruneMs) {
    const add = addTo(figures, expired)
    add('removing expired refresh tokens', 'ms', [recordsMs])
    add('removing expired revocations', 'ms', [revocationsMs])
  }
  return figures
}
