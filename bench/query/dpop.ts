/** Queries with tokens that are bound to a key (DPoP), next to Bearer queries and to the limit: one signature check for each request. */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign, verify } from 'node:crypto'
import { type Figure, withBar } from '#bench/figure'
import type { Load, LoadRequest } from '#bench/http/load'
import type { Account, Served } from '#bench/http/querent'
import { interleave, makeRateFigure, type Say, shareOfFloor } from '#bench/http/rounds'

const clientsAtOnce = 64
const secondsPerRound = 1
/** More than are sent in a round, because each proof is good for one request. */
const proofsPerRound = 12_000
const goalPercent = 50
const checksPerRound = 3000

/** A client with its key. Signing is part of no figure. */
const createClient = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const header = encode({ alg: 'ES256', typ: 'dpop+jwt', jwk: publicKey.export({ format: 'jwk' }) })
  const prove = (method: string, url: string, token?: string): string => {
    const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }
    const iat = Math.floor(Date.now() / 1000)
    const input = `${header}.${encode({ jti: randomUUID(), htm: method, htu: url, iat, ...ath })}`
    return `${input}.${signText(input, privateKey).toString('base64url')}`
  }
  return { prove }
}
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const signText = (text: string, key: KeyObject): Buffer =>
  sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })

const fetchBoundToken = async ({ authUrl, baseUrl }: Served, account: Account, proof: string) => {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: account.clientId,
    client_secret: account.clientSecret,
    audience: baseUrl,
  })
  const reply = await fetch(`${authUrl}/oauth/token`, { method: 'POST', headers: { dpop: proof }, body })
  if (reply.status !== 200) throw new Error(`no token: ${reply.status} ${await reply.text()}`)
  // The reply of RFC 6749, section 5.1.
  const { access_token } = (await reply.json()) as { access_token: string }
  return access_token
}

/** Signature checks per second on this thread, one after the other. */
const measureChecks = (): number => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const bytes = Buffer.alloc(600, 'x')
  const signature = sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const startedMs = performance.now()
  for (let count = 0; count < checksPerRound; count++)
    verify('sha256', bytes, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
  return (1000 * checksPerRound) / (performance.now() - startedMs)
}

export const dpopFigures = async ({
  load,
  served,
  account,
  token,
  paths,
  say,
}: {
  load: Load
  served: Served
  account: Account
  /** A Bearer token. */
  token: string
  paths: readonly string[]
  say: Say
}): Promise<Figure[]> => {
  const { baseUrl: url, authUrl } = served
  const client = createClient()
  const boundToken = await fetchBoundToken(served, account, client.prove('POST', `${authUrl}/oauth/token`))
  const measure = async (requests: readonly LoadRequest[]) => {
    const { perSecond } = await load.run({ url, requests, atOnce: clientsAtOnce, seconds: secondsPerRound })
    return perSecond
  }
  const bearer = paths.map(path => ({ path, headers: { authorization: `Bearer ${token}` } }))
  const makeBoundRequests = (): LoadRequest[] =>
    Array.from({ length: proofsPerRound }, (_, index) => {
      const path = paths[index % paths.length] ?? '/'
      const dpop = client.prove('GET', `${url}${path}`, boundToken)
      return { path, headers: { authorization: `DPoP ${boundToken}`, dpop } }
    })
  const rates = await interleave(
    {
      bearer: () => measure(bearer),
      bound: () => measure(makeBoundRequests()),
      checks: async () => measureChecks(),
    },
    say,
  )
  const title = 'Queries per second, by type of token'
  return [
    withBar(makeRateFigure('queries by bearer tokens', rates.bearer), title, 'ours', 'Querent, Bearer'),
    withBar(makeRateFigure('queries by DPoP-bound tokens', rates.bound), title, 'ours', 'Querent, DPoP'),
    withBar(
      makeRateFigure('limit of those: signature checks', rates.checks),
      title,
      'limit',
      'signature checks',
    ),
    shareOfFloor('DPoP-bound queries, of bearer queries', rates.bound, rates.bearer, goalPercent),
  ]
}
