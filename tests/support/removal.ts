/** Measures how long nodes still accept callers whose access has ended: members, accounts, clients, tokens, row filters. */
import assert from 'node:assert/strict'
import type { Management } from '@querent/client/manage'
import type { Nodes } from './nodes.ts'
import { makeMember } from './person.ts'
import { consoleToken } from './query-sign-in.ts'
import { fetchToken } from './started-server.ts'

/** Changes that end somebody's access, used in turn. */
export const accessChanges = [
  'removed member',
  'disabled account',
  'removed account',
  'revoked token',
  'changed roles',
  'changed row filter',
] as const
export type AccessChange = (typeof accessChanges)[number]

export const removalWorkspace = 'shelf'
/** Every document belongs to one half. */
const makePartFilter = (part: string) => ({ part })
const file = `
workspace: ${removalWorkspace}
collections:
  books:
    id: { field: id }
    fields: { title: { type: text }, part: { type: keyword } }
apis:
  shelf:
    endpoints: { all: { kind: all, collection: books } }
`
const documents = 20

/** The workspace with its documents, half of them in the part `left`. */
export const makeRemovalWorkspace = async (nodes: Nodes): Promise<void> => {
  await nodes.run(['apply', '-'], { input: file })
  const lines = Array.from({ length: documents }, (_, id) =>
    JSON.stringify({ id, title: `volume ${id}`, part: id % 2 === 0 ? 'left' : 'right' }),
  )
  await nodes.run(['import', removalWorkspace, 'books', '-'], { input: lines.join('\n') })
}

export const countPath = `/4/${removalWorkspace}/api/shelf/e/all/count`

interface CountReply {
  status: number
  total: number | undefined
}

const ask = async (url: string, token: string): Promise<CountReply> => {
  const reply = await fetch(`${url}${countPath}`, { headers: { authorization: `Bearer ${token}` } })
  // The reply to a count, or an error.
  const { total } = (await reply.json()) as { total?: number }
  return { status: reply.status, total }
}

/** A System-to-System account, or a person who is a member. */
export interface Account {
  clientId: string
  clientSecret: string
  email: string
  token: string
}

let accounts = 0

/** Creates somebody who sees the documents of one part, to be removed by this change. */
export const makeAccount = async (
  nodes: Nodes,
  management: Management,
  change: AccessChange,
): Promise<Account> => {
  accounts += 1
  if (change === 'removed member') {
    const email = `member${accounts}@example.org`
    const person = await makeMember(nodes, removalWorkspace, email)
    await management.call('setMember', {
      params: { workspace: removalWorkspace, email },
      input: { roles: ['api'], filter: makePartFilter('left') },
    })
    return { clientId: '', clientSecret: '', email, token: await consoleToken(nodes, person, nodes.baseUrl) }
  }
  const params = { workspace: removalWorkspace }
  const { clientId, clientSecret = '' } = await management.call('createSystemToSystem', {
    params,
    input: { name: `account ${accounts}`, roles: ['api'] },
  })
  await management.call('updateSystemToSystem', {
    params: { ...params, clientId },
    input: { filter: makePartFilter('left') },
  })
  return { clientId, clientSecret, email: '', token: await fetchToken(nodes, { clientId, clientSecret }) }
}

/** Resolves when the authorization server has confirmed the change. */
const applyAccessChange = async (
  nodes: Nodes,
  management: Management,
  { clientId, clientSecret, email, token }: Account,
  change: AccessChange,
): Promise<unknown> => {
  const params = { workspace: removalWorkspace, clientId }
  const update = (input: { disabled?: boolean; roles?: ['data-provider']; filter?: { part: string } }) =>
    management.call('updateSystemToSystem', { params, input })
  switch (change) {
    case 'removed member':
      return management.call('removeMember', { params: { workspace: removalWorkspace, email } })
    case 'disabled account':
      return update({ disabled: true })
    case 'removed account':
      return management.call('removeSystemToSystem', { params })
    case 'changed roles':
      return update({ roles: ['data-provider'] })
    case 'changed row filter':
      return update({ filter: makePartFilter('none') })
    case 'revoked token': {
      const body = new URLSearchParams({ token, client_id: clientId, client_secret: clientSecret })
      const { status } = await fetch(`${nodes.authUrl}/oauth/revoke`, { method: 'POST', body })
      assert.equal(status, 200)
      return undefined
    }
  }
}

/** Returns whether the reply is the same as before the change. Throws unless it is a rejection, or a reply under the new row filter. */
const isAllowed = ({ status, total }: CountReply): boolean => status === 200 && total === documents / 2
const isDenied = ({ status, total }: CountReply): boolean =>
  status === 401 || status === 403 || (status === 200 && total === 0)

const denialsNeeded = 5

/**
 * Queries every node continuously while an account's access ends. Returns, for each node, how many milliseconds after the authorization
 * server's reply it last accepted (0: never). Fails if a node still accepts after `msMax`.
 */
export const measureAccessChange = async (
  nodes: Nodes,
  management: Management,
  account: Account,
  change: AccessChange,
  msMax: number,
): Promise<number[]> => {
  const urls = nodes.nodes.flatMap(({ queryUrl, isRunning }) =>
    queryUrl !== undefined && isRunning() ? [queryUrl] : [],
  )
  for (const url of urls) {
    const first = await ask(url, account.token)
    assert.ok(isAllowed(first), `${url}: ${JSON.stringify(first)}`)
  }
  let doneAt = Number.POSITIVE_INFINITY
  const watch = async (url: string): Promise<number> => {
    let lastAllowedAt = 0
    for (let denials = 0; denials < denialsNeeded; ) {
      const askedAt = performance.now()
      const reply = await ask(url, account.token)
      const now = performance.now()
      if (isAllowed(reply)) {
        lastAllowedAt = now
        denials = 0
        // The duration of the request itself does not count.
        assert.ok(askedAt - doneAt < msMax, `${change}: ${url} still says yes after ${askedAt - doneAt} ms`)
      } else {
        assert.ok(isDenied(reply), `${change}: ${url} answers ${JSON.stringify(reply)}`)
        if (now > doneAt) denials += 1
      }
    }
    return Math.max(0, lastAllowedAt - doneAt)
  }
  const watching = Promise.all(urls.map(watch))
  await applyAccessChange(nodes, management, account, change)
  doneAt = performance.now()
  return watching
}
