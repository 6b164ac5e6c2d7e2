/** Tokens by client credentials: how many a second on one core, ours beside the least that could make them, and beside others. */
import { createRemoteJWKSet, jwtVerify } from 'jose'
import type { Figure } from '#bench/figure'
import { type Load, startLoad } from '#bench/http/load'
import { interleave, rateOf, type Say, shareOfFloor } from '#bench/http/rounds'
import type { Contender } from './contender.ts'
import { startFloor } from './node-contenders.ts'
import { startOurs } from './ours.ts'

const secondsOfRound = 3
const clientCounts = [1, 1000]
const atOnces = [16, 64]
const floorGoal = 75

export const tokenFigures = async (say: Say): Promise<Figure[]> => {
  const figures: Figure[] = []
  await using load = startLoad()
  for (const clients of clientCounts) {
    await using ours = await startOurs(clients)
    await using floor = await startFloor(clients)
    for (const atOnce of atOnces) {
      const name = `tokens, ${atOnce} at once, ${clients.toLocaleString('en-US')} ${clients === 1 ? 'client' : 'clients'}`
      say(name)
      const measured = await interleave(
        {
          ours: () => tokensPerSecond(load, ours, atOnce),
          floor: () => tokensPerSecond(load, floor, atOnce),
        },
        say,
      )
      figures.push(
        rateOf(name, measured.ours),
        shareOfFloor(`${name}, of the floor`, measured.ours, measured.floor, floorGoal),
      )
    }
  }
  return figures
}

const tokensPerSecond = async (load: Load, contender: Contender, atOnce: number): Promise<number> => {
  const { url, requests } = contender
  const { perSecond } = await load.run({ url, requests, atOnce, seconds: secondsOfRound })
  await proveToken(contender)
  return perSecond
}

/** Throws unless the contender gives a token that its own published keys verify: nothing else is worth counting. */
const proveToken = async ({ name, url, issuer, jwksUrl, requests }: Contender): Promise<void> => {
  const request = requests[Math.floor(Math.random() * requests.length)]
  if (!request) throw new Error(`${name} has no clients`)
  const { path, ...init } = request
  const reply = await fetch(url + path, init)
  const { access_token: token } = (await reply.json()) as { access_token: string }
  const { protectedHeader } = await jwtVerify(token, createRemoteJWKSet(new URL(jwksUrl)), { issuer })
  if (protectedHeader.alg !== 'ES256') throw new Error(`${name} signs with ${protectedHeader.alg}, not ES256`)
}
