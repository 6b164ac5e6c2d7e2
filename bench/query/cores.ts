/**
 * How a node grows with its cores: queries and tokens per second on one core and on two, and what each takes of the JavaScript thread, which
 * limits a node with more cores unless it has more workers. The load generator is on the second core, so two cores are a little less than two.
 */
import { type Figure, makeFigure } from '#bench/figure'
import { readThreadUs } from '#bench/growth/processor'
import { type LoadRequest, startLoad } from '#bench/http/load'
import { loadCore, serverCore } from '#bench/http/pinned'
import { type Account, fetchToken, type Served, serve } from '#bench/http/querent'
import { makeRateFigure, rounds, type Say, timesPeer } from '#bench/http/rounds'
import { tokenRequest } from '#bench/tokens/contender'
import { queryPath } from './dictionary-server.ts'

const atOnce = 32
const seconds = 3

interface Measured {
  perSecond: number[]
  /** Microseconds of the JavaScript thread for one request. */
  threadUs: number[]
}

export const coresFigures = async (
  data: string,
  account: Account,
  queries: readonly string[],
  say: Say,
): Promise<Figure[]> => {
  const measureOn = async (cores: readonly number[], workers = 1) => {
    await using served = await serve(data, { cores, flags: ['--workers', String(workers)] })
    await using load = startLoad()
    const token = await fetchToken(served, account)
    const measure = async (url: string, requests: readonly LoadRequest[]): Promise<Measured> => {
      const measured: Measured = { perSecond: [], threadUs: [] }
      for (let round = 0; round <= rounds; round++) {
        const beforeUs = readThreadUs(served.pid)
        const result = await load.run({ url, requests, atOnce, seconds })
        if (round === 0) continue
        measured.perSecond.push(result.perSecond)
        measured.threadUs.push((readThreadUs(served.pid) - beforeUs) / result.requests)
      }
      say(
        `${cores.length} of the cores, ${workers} of the threads: ${Math.round(measured.perSecond.at(-1) ?? Number.NaN)} a second`,
      )
      return measured
    }
    return {
      queries: await measure(served.baseUrl, makeQueryRequests(queries, token)),
      tokens: await measure(served.authUrl, [makeTokenRequest(served, account)]),
    }
  }
  const one = await measureOn([serverCore])
  const two = await measureOn([serverCore, loadCore])
  const twoThreads = await measureOn([serverCore, loadCore], 2)
  const figures = (['queries', 'tokens'] as const).flatMap(name => [
    makeRateFigure(`${name} on one core`, one[name].perSecond),
    makeRateFigure(`${name} on two cores`, two[name].perSecond),
    timesPeer(`${name} on two cores, of one`, two[name].perSecond, one[name].perSecond),
    makeFigure(two[name].threadUs, {
      name: `JavaScript thread for one of the ${name}`,
      unit: 'µs',
      better: 'lower',
    }),
  ])
  const perSecond = twoThreads.queries.perSecond
  return [
    ...figures,
    makeRateFigure('queries on two cores with two workers', perSecond),
    timesPeer('queries on two cores with two workers, of one core', perSecond, one.queries.perSecond),
  ]
}

const makeQueryRequests = (queries: readonly string[], token: string): LoadRequest[] =>
  queries.map(words => ({
    path: queryPath(words, 'results'),
    headers: { authorization: `Bearer ${token}` },
  }))

const makeTokenRequest = ({ baseUrl }: Served, account: Account): LoadRequest =>
  tokenRequest('/oauth/token', account, { audience: `${baseUrl}/` })
