/** Measures whether a burst of one account delays another: a thousand connections of one next to a steady trickle of the other. */
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { type Figure, makeFigure } from '#bench/figure'
import { type LoadTask, startLoad } from '#bench/http/load'
import type { Served } from '#bench/http/querent'
import { ratios, type Say } from '#bench/http/rounds'

const burstConnections = 1_000
/** Rate of the other account, far below the server's capacity, so that it never waits when it is alone. */
const otherPerSecond = 100
const otherConnections = 32
const seconds = 4
const burstSeconds = seconds + 2
const times = 5
/** Both loads share a core. The one whose latency is measured has priority. */
const lowestPriority = 19

interface BurstOptions {
  served: Served
  tokens: { burst: string; other: string }
  paths: readonly string[]
  say: Say
}

/** Linux may group processes by session (autogroup) and compares priorities only within a group. Then the group needs the priority too. */
const lowerPriority = (pid: number): void => {
  setPriority(pid, lowestPriority)
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(lowestPriority))
  } catch {
    // Not Linux, or built without these groups.
  }
}

/** Any status except 200 ends the run with an error, so figures include no rejected query. */
export const fairnessFigures = async ({ served, tokens, paths, say }: BurstOptions): Promise<Figure[]> => {
  await using bursting = startLoad()
  await using trickle = startLoad()
  lowerPriority(bursting.pid)
  const makeRequests = (token: string): LoadTask['requests'] =>
    paths.map(path => ({ path, headers: { authorization: `Bearer ${token}` } }))
  const url = served.baseUrl
  const measureOther = () =>
    trickle.run({
      url,
      requests: makeRequests(tokens.other),
      atOnce: otherConnections,
      perSecond: otherPerSecond,
      seconds,
    })
  const burst = () =>
    bursting.run({
      url,
      requests: makeRequests(tokens.burst),
      atOnce: burstConnections,
      seconds: burstSeconds,
    })
  await burst()
  await measureOther()
  const figures: Record<'alone' | 'beside' | 'rate' | 'burst', number[]> = {
    alone: [],
    beside: [],
    rate: [],
    burst: [],
  }
  for (let round = 0; round < times; round++) {
    const { p99: alone } = await measureOther()
    const bursted = burst()
    const { p99: duringBurst } = await measureOther()
    const { perSecond, p99 } = await bursted
    figures.alone.push(alone)
    figures.beside.push(duringBurst)
    figures.rate.push(perSecond)
    figures.burst.push(p99)
    say(
      `p99 ${alone.toFixed(2)} ms alone, ${duringBurst.toFixed(2)} ms beside ${Math.round(perSecond)} queries a second`,
    )
  }
  const ms = { unit: 'ms', better: 'lower' } as const
  return [
    makeFigure(figures.alone, { name: 'an account alone p99', ...ms }),
    makeFigure(figures.beside, { name: 'the same beside 1,000 connections of another p99', ...ms, goal: 6 }),
    makeFigure(ratios(figures.beside, figures.alone), {
      name: 'that, of alone',
      unit: 'times',
      better: 'lower',
    }),
    makeFigure(figures.rate, {
      name: 'queries of the 1,000 connections, none refused',
      unit: 'a second',
      better: 'higher',
    }),
    makeFigure(figures.burst, { name: 'queries of the 1,000 connections p99', ...ms }),
  ]
}
