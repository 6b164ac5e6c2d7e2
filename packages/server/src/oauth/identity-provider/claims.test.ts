/** Roles by the claims of a provider, in both forms of the workspace file, and the claims of Microsoft Entra ID. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '@querent/contract/roles'
import { mapRoles } from './claims.ts'
import { readGivenRights } from './given-rights.ts'

test('roles take the form of groups, and the older one', () => {
  const map: Record<string, Role[]> = { Editors: ['user'], Readers: ['api'], '*': ['api'] }
  const claims = { groups: ['Editors'], app_roles: 'Readers' }
  assert.deepEqual(mapRoles(claims, { roles: { claim: 'groups', map } }), ['api', 'user'])
  assert.deepEqual(mapRoles(claims, { roles: { claim: 'app_roles', map: { Readers: ['api'] } } }), ['api'])
  assert.deepEqual(mapRoles(claims, { roles: map }), ['api', 'user'])
  assert.deepEqual(mapRoles(claims, { roles: { Readers: ['api'] }, rolesClaim: 'app_roles' }), ['api'])
  assert.deepEqual(mapRoles(claims, {}), [])
  assert.deepEqual(mapRoles({ groups: ['claim'] }, { roles: { claim: ['api'], map: ['user'] } }), ['api'])
  assert.deepEqual(mapRoles({ groups: ['toString'] }, { roles: { claim: 'groups', map: {} } }), [])
})

/** Object ids of groups in an ID token (Microsoft identity platform, "ID token claims reference" and "Groups overage claim"). */
const legalId = '1ce9c55a-9826-4e32-871c-a8488144bb32'
const pressId = '89b4c6c6-5a3c-4d9f-9ba0-4f5f3dd7c4a1'
const entra = {
  aud: 'ab603c56-0684-1111-2222-eeee34bd1234',
  iss: 'https://login.microsoftonline.com/9122040d-6c67-4c5b-b112-36a304b66dad/v2.0',
  name: 'Abe Lincoln',
  oid: '00000000-0000-0000-66f3-3332eca7ea81',
  preferred_username: 'AbeLi@example.com',
  sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
  tid: '9122040d-6c67-4c5b-b112-36a304b66dad',
  ver: '2.0',
}
const mapping: Parameters<typeof readGivenRights>[1] = {
  groups: { claim: 'groups', map: { [legalId]: ['legal'], [pressId]: ['press'] } },
}
const readEntra = (claims: Record<string, unknown>, from = mapping) => {
  const { rights, faults } = readGivenRights({ ...entra, ...claims }, from)
  return [rights.groups, faults]
}

test('Entra gives groups by object id, and none when it leaves them out', () => {
  assert.deepEqual(readEntra({ groups: [legalId, 'f5a5b7a1-0000-0000-0000-000000000000'] }), [['legal'], []])
  assert.deepEqual(readEntra({ groups: [legalId.toUpperCase()] }), [[], []])
  const overage = {
    _claim_names: { groups: 'src1' },
    _claim_sources: {
      src1: { endpoint: `https://graph.microsoft.com/v1.0/users/${entra.oid}/getMemberObjects` },
    },
  }
  assert.deepEqual(readEntra(overage), [[], ['claim-incomplete']])
  assert.deepEqual(readEntra({ hasgroups: true }), [[], ['claim-incomplete']])
  assert.deepEqual(readEntra({}), [[], ['claim-missing']])
  // Synchronized groups by name, and app roles.
  const byName = { groups: { claim: 'groups', map: { 'CONTOSO\\Legal': ['legal'] } } }
  assert.deepEqual(readEntra({ groups: ['CONTOSO\\Legal'] }, byName), [['legal'], []])
  const roles = { claim: 'roles', map: { 'Search.User': ['api' as const] } }
  assert.deepEqual(mapRoles({ ...entra, roles: ['Search.User'] }, { roles }), ['api'])
})
