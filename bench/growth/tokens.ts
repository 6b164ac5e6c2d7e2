/** Costs of sign-ins and tokens, storage for them, and how long the authorization server blocks while it deletes expired ones. */
import { type Figure, makeFigure } from '#bench/figure'
import { rounds } from '#bench/http/rounds'
import { addTo, type Growing } from './points.ts'
import { runStep } from './step.ts'
import type { TokensFound, TokensTask } from './tokens-process.ts'

export const tokensGrowth = async ({ say }: Growing): Promise<Figure[]> => {
  say('people sign in, get codes and refresh')
  const task: TokensTask = { rounds }
  const measured = await runStep<TokensFound>('measure', 'tokens-process.ts', task)
  const lower = { better: 'lower' } as const
  const figures = [
    ...Object.entries(measured.processorUs).map(([name, us]) =>
      makeFigure(us, { name: `${name}, processor`, unit: 'µs', ...lower }),
    ),
    ...measured.rows.map(({ model, rows }) =>
      makeFigure([rows], {
        name: `${model}: rows of a sign-in with two codes and ten refreshes`,
        unit: '',
        ...lower,
      }),
    ),
    ...Object.entries(measured.bytes).map(([model, bytes]) =>
      makeFigure([bytes], { name: `${model}: on disk, with its indexes`, unit: 'bytes', ...lower }),
    ),
  ]
  for (const { expired, recordsMs, revocationsMs } of measured.pruneMs) {
    const add = addTo(figures, expired)
    add('removing expired refresh tokens', 'ms', [recordsMs])
    add('removing expired revocations', 'ms', [revocationsMs])
  }
  return figures
}
