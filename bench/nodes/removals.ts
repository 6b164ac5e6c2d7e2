/** How late nodes reject removed accounts, under a load of queries and token requests. */
import { type Figure, makeFigure } from '#bench/figure'
import { startLoad } from '#bench/http/load'
import type { Say } from '#bench/http/rounds'
import { startOpenSearch } from '#bench/peers/opensearch'
import { tokenRequest } from '#bench/tokens/contender'
import { startNodes } from '#tests/support/nodes'
import {
  accessChanges,
  countPath,
  makeAccount,
  makeRemovalWorkspace,
  measureAccessChange,
} from '#tests/support/removal'

const queryNodes = 4
const removals = 120
/** The bound of the contract. */
const lateMsMax = 1000
const goalP99Ms = 200
const queriesASecond = 200
const tokensASecond = 20
const secondsMax = 15 * 60
const allCores = [0, 1]

export const nodesFigures = async (say: Say): Promise<Figure[]> => {
  await using search = await startOpenSearch(allCores)
  const nodes = await startNodes({
    nodes: [
      { only: 'authorization' },
      ...Array.from({ length: queryNodes }, () => ({ only: 'query' as const })),
    ],
    engine: search.url,
    flags: ['--engine-replicas', '0', '--rate-limit', '1000000000'],
  })
  try {
    await makeRemovalWorkspace(nodes)
    const management = await nodes.management()
    const disabledAccount = await makeAccount(nodes, management, 'disabled account')
    await using queries = startLoad()
    await using tokens = startLoad()
    const requests = [{ path: countPath, headers: { authorization: `Bearer ${disabledAccount.token}` } }]
    const forTokens = [tokenRequest('/oauth/token', disabledAccount, { audience: `${nodes.baseUrl}/` })]
    const seconds = secondsMax
    const load = [
      queries.run({ url: nodes.baseUrl, requests, atOnce: 8, seconds, perSecond: queriesASecond }),
      tokens.run({ url: nodes.authUrl, requests: forTokens, atOnce: 2, seconds, perSecond: tokensASecond }),
    ]
    // They run as long as the measurement.
    for (const request of load) request.catch(() => {})
    const late: number[] = []
    for (let done = 0; done < removals; done++) {
      const ending = accessChanges[done % accessChanges.length] ?? 'removed account'
      const account = await makeAccount(nodes, management, ending)
      late.push(...(await measureAccessChange(nodes, management, account, ending, lateMsMax)))
    }
    const sorted = late.toSorted((a, b) => a - b)
    const quantile = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
    say(`${removals} removals at ${queryNodes} nodes`)
    const figure = (name: string, value: number, goal?: number) =>
      makeFigure([value], {
        name: `last yes after a removal, ${name}`,
        unit: 'ms',
        better: 'lower',
        ...(goal === undefined ? {} : { goal }),
      })
    return [
      figure('p50', quantile(0.5)),
      figure('p90', quantile(0.9)),
      figure('p99', quantile(0.99), goalP99Ms),
      figure('max', quantile(1), lateMsMax),
    ]
  } finally {
    await nodes.stop()
  }
}
