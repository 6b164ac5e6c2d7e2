/** What decides about access, where no test through HTTP can set the clock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MemberRow } from '#storage/members'
import type { WorkspaceRow } from '#storage/workspaces'
import { workspaceAccess } from './access.ts'
import type { Principal } from './bearer.ts'

const workspace = { id: 'w' } as WorkspaceRow
/** Since ten seconds after the token. */
const member = { roles: ['administrator'], filter: undefined, createdAt: 110_000 } as unknown as MemberRow
const ask = (operator: boolean, permission: 'administer' | 'query') => {
  const principal = { operator, client: { id: 'cli', kind: 'own' }, subject: 'u', token: { issuedAt: 100 } }
  return workspaceAccess(principal as Principal, workspace, member, permission).allowed
}

test('an operator goes on with the token that made a workspace; to query takes one since the membership', () => {
  // `querent demo` failed where a second began between its token and its workspace.
  assert.equal(ask(true, 'administer'), true)
  assert.equal(ask(true, 'query'), false)
  assert.equal(ask(false, 'administer'), false)
})
