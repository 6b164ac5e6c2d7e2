/** What authorisation costs, and whether that grows with the members of a workspace. */
import { join } from 'node:path'
import { type Figure, figureOf } from '#bench/figure'
import { serverCore, startPinned } from '#bench/http/pinned'
import { ratios, rounds, type Say } from '#bench/http/rounds'
import type { AuthorisationTask, AuthorisationTimes } from './authorisation-process.ts'

const manyMembers = 1_000_000

export const authorisationFigures = async (say: Say): Promise<Figure[]> => {
  const path = join(import.meta.dirname, 'authorisation-process.ts')
  await using measured = startPinned(serverCore, process.execPath, [path])
  const ask = async <T>(task: AuthorisationTask): Promise<T> => {
    const answered = measured.message<T>()
    measured.child.send(task)
    return answered
  }
  const measure = async (): Promise<AuthorisationTimes[]> => {
    const found: AuthorisationTimes[] = []
    // The first warms up and does not count.
    for (let round = 0; round <= rounds; round++) found.push(await ask({ do: 'measure' }))
    return found.slice(1)
  }
  await measured.message()
  const few = await measure()
  say('a million members are made')
  await ask({ do: 'grow', members: manyMembers })
  const many = await measure()
  measured.child.send({ do: 'end' } satisfies AuthorisationTask)

  const of = (name: keyof AuthorisationTimes, times: readonly AuthorisationTimes[]) =>
    times.map(each => each[name])
  const microseconds = { unit: 'µs', better: 'lower' } as const
  const growth = { unit: 'times', better: 'lower' } as const
  return [
    figureOf(of('known', few), { name: 'authorisation, token seen before', ...microseconds, goal: 20 }),
    figureOf(ratios(of('known', many), of('known', few)), {
      name: 'growth of it from 10 to 1,000,000 members',
      ...growth,
      // Nothing is to be seen of growth: what is above this is more than noise.
      goal: 1.25,
    }),
    figureOf(of('read', few), { name: 'reading a membership that is not remembered', ...microseconds }),
    figureOf(ratios(of('read', many), of('read', few)), {
      name: 'growth of that from 10 to 1,000,000 members',
      ...growth,
    }),
  ]
}
