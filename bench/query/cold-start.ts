/** Time from nothing to the first reply, and the memory of an idle server. */
import { type Figure, makeFigure } from '#bench/figure'
import { type Account, fetchToken, serve } from '#bench/http/querent'
import { rounds, type Say } from '#bench/http/rounds'

/** Before idle-memory.ts acts, so the measurement shows the memory after the start, not after the release. */
const idleMs = 3_000

export const coldStartFigures = async (
  data: string,
  account: Account,
  path: string,
  say: Say,
): Promise<Figure[]> => {
  say('cold starts')
  const answerMs: number[] = []
  const megabytes: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now()
    await using served = await serve(data)
    const token = await fetchToken(served, account)
    const reply = await fetch(`${served.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status}`)
    await reply.text()
    answerMs.push(performance.now() - startMs)
    await new Promise(resolve => setTimeout(resolve, idleMs))
    megabytes.push(await served.anonymousMegabytes())
    say(`${Math.round(answerMs.at(-1) ?? 0)} ms, ${Math.round(megabytes.at(-1) ?? 0)} MB`)
  }
  return [
    makeFigure(answerMs, {
      name: 'start to first token and query',
      unit: 'ms',
      better: 'lower',
      goal: 1_000,
    }),
    makeFigure(megabytes, { name: 'memory of both servers, idle', unit: 'MB', better: 'lower', goal: 150 }),
  ]
}
