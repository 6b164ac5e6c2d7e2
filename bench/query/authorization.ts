/** The cost of authorization, and whether it grows with the members of a workspace. */
import { once } from 'node:events'
import { join } from 'node:path'
import { type Figure, makeFigure } from '#bench/figure'
import { serverCore, startPinned } from '#bench/http/pinned'
import { ratios, rounds, type Say } from '#bench/http/rounds'
import type { AuthorizationTask, AuthorizationTimes } from './authorization-process.ts'

const manyMembers = 1_000_000

const start = async () => {
  const path = join(import.meta.dirname, 'authorization-process.ts')
  const pinned = startPinned(serverCore, process.execPath, [path])
  await pinned.message()
  const ask = async <T>(task: AuthorizationTask): Promise<T> => {
    const reply = pinned.message<T>()
    pinned.child.send(task)
    return reply
  }
  /** Makes the process delete its data. */
  const end = async () => {
    pinned.child.send({ do: 'end' } satisfies AuthorizationTask)
    await once(pinned.child, 'exit')
  }
  return { ask, end, [Symbol.asyncDispose]: pinned.stop }
}

export const authorizationFigures = async (say: Say): Promise<Figure[]> => {
  await using small = await start()
  await using large = await start()
  say('a million members are made')
  await large.ask({ do: 'grow', members: manyMembers })
  const few: AuthorizationTimes[] = []
  const measured: AuthorizationTimes[] = []
  // The first round is a warm-up and does not count.
  for (let round = 0; round <= rounds; round++) {
    const times = await small.ask<AuthorizationTimes>({ do: 'measure' })
    const timesOfMany = await large.ask<AuthorizationTimes>({ do: 'measure' })
    if (round === 0) continue
    few.push(times)
    measured.push(timesOfMany)
  }
  await small.end()
  await large.end()

  const summarize = (name: keyof AuthorizationTimes, times: readonly AuthorizationTimes[]) =>
    times.map(sample => sample[name])
  const microseconds = { unit: 'µs', better: 'lower' } as const
  const growth = { unit: 'times', better: 'lower' } as const
  return [
    makeFigure(summarize('known', few), {
      name: 'authorization, token seen before',
      ...microseconds,
      goal: 20,
    }),
    makeFigure(ratios(summarize('known', measured), summarize('known', few)), {
      name: 'growth of it from 10 to 1,000,000 members',
      ...growth,
      // Growth must not be visible: a larger difference is more than noise.
      goal: 1.25,
    }),
    makeFigure(summarize('read', few), {
      name: 'reading a membership that is not remembered',
      ...microseconds,
    }),
    makeFigure(ratios(summarize('read', measured), summarize('read', few)), {
      name: 'growth of that from 10 to 1,000,000 members',
      ...growth,
    }),
  ]
}
