/** Measures what sign-ins, codes and refreshes cost the authorization server, and what it stores. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { newPkce, openBrowser } from '#server/oauth/test-sign-in'
import { finishStep, taskOfStep } from './step.ts'
import type { Question, StartedSignIn, StoredTokens } from './tokens-server.ts'

export interface TokensTask {
  rounds: number
}
/** Microseconds of the server's processor for each, by round. */
export interface TokensFound {
  processorUs: Record<string, number[]>
  /** Rows for each sign-in with one code and ten refreshes. */
  rows: StoredTokens[]
  /** Bytes on disk, with the indexes. */
  bytes: Record<string, number>
  pruneMs: { expired: number; recordsMs: number; revocationsMs: number }[]
}

const refreshesEach = 10
const copies = 100_000
const pruned = [1_000, 10_000, 100_000]
const passwordTimes = 20

const { rounds } = await taskOfStep<TokensTask>()
const child = fork(join(import.meta.dirname, 'tokens-server.ts'), [], { execArgv: [] })
const next = async <T>(): Promise<T> => (await once(child, 'message'))[0] as T
const { authUrl, baseUrl, application, people } = await next<StartedSignIn>()
const ask = async <T>(question: Question): Promise<T> => {
  const reply = next<T>()
  child.send(question)
  return reply
}
const spentUs = async () => (await ask<{ us: number }>({ do: 'processor' })).us

const { id, secret = '', redirectUri } = application
const tokens = async (parameters: Record<string, string>): Promise<Record<string, string>> => {
  const body = new URLSearchParams({ client_id: id, client_secret: secret, ...parameters })
  const reply = await fetch(`${authUrl}/oauth/token`, { method: 'POST', body })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`no tokens: ${text}`)
  return JSON.parse(text)
}
const authorize = async (browser: ReturnType<typeof openBrowser>, person: string) => {
  const { verifier, challenge } = newPkce()
  const query = new URLSearchParams({
    client_id: id,
    response_type: 'code',
    redirect_uri: redirectUri,
    state: 's',
    scope: 'openid offline_access',
    audience: baseUrl,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const { parameters, text } = await browser.authorize(query.toString(), person)
  if (!parameters.code) throw new Error(`no code: ${JSON.stringify(parameters)} ${text}`)
  return { code: parameters.code, verifier }
}

const processor: Record<string, number[]> = {}
const cost = async (name: string, times: number, work: () => Promise<unknown>): Promise<void> => {
  const spentBefore = await spentUs()
  await work()
  const spent = ((await spentUs()) - spentBefore) / times
  processor[name] = [...(processor[name] ?? []), spent]
}

for (let round = 0; round <= rounds; round++) {
  const browsers = people.map(person => ({ person, browser: openBrowser(authUrl) }))
  let codes: { code: string; verifier: string }[] = []
  const allAuthorize = async () => {
    codes = []
    for (const { person, browser } of browsers) codes.push(await authorize(browser, person))
  }
  const exchange = async () => {
    const refresh: string[] = []
    for (const { code, verifier } of codes)
      refresh.push(
        (
          await tokens({
            grant_type: 'authorization_code',
            code,
            code_verifier: verifier,
            redirect_uri: redirectUri,
          })
        ).refresh_token ?? '',
      )
    return refresh
  }
  await cost('a sign-in and its code, without the password', people.length, allAuthorize)
  let refreshTokens: string[] = []
  await cost('tokens for a code', people.length, async () => {
    refreshTokens = await exchange()
  })
  await cost('tokens for a refresh token', people.length * refreshesEach, async () => {
    for (let turn = 0; turn < refreshesEach; turn++) {
      const issued: string[] = []
      for (const refresh_token of refreshTokens)
        issued.push((await tokens({ grant_type: 'refresh_token', refresh_token })).refresh_token ?? '')
      refreshTokens = issued
    }
  })
  await cost('a code where one is signed in already', people.length, allAuthorize)
  processor['a password'] = [
    ...(processor['a password'] ?? []),
    (await ask<{ us: number }>({ do: 'password', times: passwordTimes })).us,
  ]
}
// The first round is a warm-up and does not count.
for (const samples of Object.values(processor)) samples.shift()
const signIns = people.length * (rounds + 1)
const rows = (await ask<StoredTokens[]>({ do: 'kept' })).map(kept => ({ ...kept, rows: kept.rows / signIns }))
const bytes: Record<string, number> = {}
for (const model of [...rows.map(({ model }) => model), 'revocation'])
  bytes[model] = (await ask<{ bytes: number }>({ do: 'copy', model, count: copies })).bytes
const pruneMs: TokensFound['pruneMs'] = []
for (const expired of pruned)
  pruneMs.push({
    expired,
    ...(await ask<{ recordsMs: number; revocationsMs: number }>({ do: 'prune', count: expired })),
  })
child.disconnect()
await once(child, 'exit')
finishStep({ processorUs: processor, rows, bytes, pruneMs } satisfies TokensFound)
