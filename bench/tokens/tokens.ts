/** Tokens by client credentials: the rate of our server on one core, next to the floor and other servers. */
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { type Figure, withBar } from '#bench/figure'
import { type Load, startLoad } from '#bench/http/load'
import { pinningNote } from '#bench/http/pinned'
import { interleave, makeRateFigure, type Say, shareOfFloor, timesPeer } from '#bench/http/rounds'
import { MissingProgram } from '#bench/peers/start'
import type { Contender } from './contender.ts'
import { startHydra } from './hydra.ts'
import { startKeycloak } from './keycloak.ts'
import { startFloor, startOidcProvider } from './node-contenders.ts'
import { startOurs } from './ours.ts'

/** Short and many rounds, because the speed of a shared machine may change from one second to the next. */
const roundSecondsUsual = 1
const times = 10
const clientCounts = [1, 1000]
const atOnces = [16, 64]
const floorGoal = 75
const clientsMost = Math.max(...clientCounts)

const peers = {
  'oidc-provider': { goal: 2, start: startOidcProvider },
  Keycloak: { goal: 15, start: startKeycloak },
  'Ory Hydra': { goal: 25, start: startHydra },
}
type Peer = keyof typeof peers
// The names are those of the table above, which Object.keys loses.
const peerNames = Object.keys(peers) as Peer[]

export const tokenFigures = async (say: Say): Promise<Figure[]> => {
  if (pinningNote) say(pinningNote)
  await using running = new AsyncDisposableStack()
  const load = running.use(startLoad())
  const absent = new Map<Peer, string>()
  const startPeer = async (name: Peer, clients: number, stack: AsyncDisposableStack) => {
    say(`starting ${name}`)
    try {
      return stack.use(await warmed(load, await peers[name].start(clients)))
    } catch (error) {
      say(`${name} is not measured: ${error instanceof Error ? error.message : error}`)
      // Other messages contain paths of this machine.
      absent.set(name, error instanceof MissingProgram ? error.message : 'it did not start')
      return undefined
    }
  }
  say('starting ours and the floor')
  const ours = running.use(await warmed(load, await startOurs(clientsMost)))
  const floor = running.use(await warmed(load, await startFloor(clientsMost)))
  const keycloak = await startPeer('Keycloak', clientsMost, running)
  const hydra = await startPeer('Ory Hydra', clientsMost, running)

  const figures: Figure[] = []
  for (const clients of clientCounts) {
    await using resources = new AsyncDisposableStack()
    // A contender is set up separately for one client and for many.
    const oidcProvider = await startPeer('oidc-provider', clients, resources)
    const started = { 'oidc-provider': oidcProvider, Keycloak: keycloak, 'Ory Hydra': hydra }
    for (const atOnce of atOnces) {
      const name = `tokens, ${atOnce} at once, ${clients.toLocaleString('en-US')} ${clients === 1 ? 'client' : 'clients'}`
      say(name)
      const rate = (contender: Contender) => () => tokensPerSecond(load, contender, { atOnce, clients })
      const measured: Record<string, number[]> = await interleave(
        {
          ours: rate(ours),
          floor: rate(floor),
          ...Object.fromEntries(
            Object.entries(started).flatMap(([peer, contender]) =>
              contender ? [[peer, rate(contender)]] : [],
            ),
          ),
        },
        say,
        times,
      )
      figures.push(...makeFigures(name, measured, absent))
    }
  }
  return figures
}

/** Figures of one case: rates that are drawn together, and the ratios that have goals. */
const makeFigures = (
  of: string,
  measured: Readonly<Record<string, number[]>>,
  absent: ReadonlyMap<Peer, string>,
): Figure[] => {
  const { ours = [], floor = [] } = measured
  return [
    withBar(makeRateFigure(of, ours), of, 'ours'),
    withBar(makeRateFigure(`${of}, bare node:http`, floor), of, 'limit', 'bare node:http'),
    ...peerNames.map((peer): Figure => {
      const reason = absent.get(peer)
      const figure = withBar(makeRateFigure(`${of}, ${peer}`, measured[peer] ?? []), of, 'peer', peer)
      return reason === undefined ? figure : { ...figure, absent: reason }
    }),
    shareOfFloor(`${of}, of bare node:http`, ours, floor, floorGoal),
    ...peerNames.map((peer): Figure => {
      const reason = absent.get(peer)
      const figure = timesPeer(`${of}, of ${peer}`, ours, measured[peer] ?? [], peers[peer].goal)
      return reason === undefined ? figure : { ...figure, absent: reason }
    }),
  ]
}

/** Every client requests a token at least once before the measurement. */
const warmed = async (load: Load, contender: Contender): Promise<Contender> => {
  try {
    const { url, requests, warmSeconds } = contender
    // One request first, because some servers create their key at the first token request.
    await proveToken(contender)
    await load.run({ url, requests, atOnce: Math.min(...atOnces), seconds: warmSeconds })
    return contender
  } catch (error) {
    await contender[Symbol.asyncDispose]()
    throw error
  }
}

const tokensPerSecond = async (
  load: Load,
  contender: Contender,
  { atOnce, clients }: { atOnce: number; clients: number },
): Promise<number> => {
  const { url, roundSeconds: seconds = roundSecondsUsual } = contender
  const requests = contender.requests.slice(0, clients)
  const { perSecond } = await load.run({ url, requests, atOnce, seconds })
  await proveToken(contender)
  return perSecond
}

/** Throws unless the contender issues a token that its own published keys verify. Otherwise the rate means nothing. */
const proveToken = async ({ name, url, issuer, jwksUrl, requests }: Contender): Promise<void> => {
  const request = requests[Math.floor(Math.random() * requests.length)]
  if (!request) throw new Error(`${name} has no clients`)
  const { path, ...init } = request
  const reply = await fetch(url + path, init)
  if (!reply.ok) throw new Error(`${name} answered ${reply.status}: ${await reply.text()}`)
  // The reply of RFC 6749, section 5.1.
  const { access_token: token } = (await reply.json()) as { access_token: string }
  const { protectedHeader } = await jwtVerify(token, createRemoteJWKSet(new URL(jwksUrl)), { issuer })
  if (protectedHeader.alg !== 'ES256') throw new Error(`${name} signs with ${protectedHeader.alg}, not ES256`)
}
