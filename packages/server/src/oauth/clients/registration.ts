/**
 * Applications that register themselves (RFC 7591, OpenID Connect Dynamic Client Registration 1.0). The library reads and checks the metadata. This file
 * decides who may register, and stores the result as an application of the workspace, like those that an administrator registers.
 */
import type { IncomingMessage } from 'node:http'
import { clientFaults } from '@querent/contract/client-faults'
import Provider, {
  type AdapterPayload,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { toNetwork } from '#authz/network'
import { publicKeyFaults } from '#keys/public-keys'
import { createMinuteCounter } from '#memory/minute-counter'
import { toVisibleName } from '#oauth/visible-name'
import { recordAudit } from '#storage/audit'
import {
  type ApplicationSettings,
  addSecret,
  createClient,
  newClientId,
  newClientSecret,
} from '#storage/clients'
import type { Storage, Writer } from '#storage/db'
import type { Directory } from '#storage/directory'
import { findRegistrationToken, useRegistrationToken } from '#storage/registration-tokens'

interface Dependencies {
  storage: Storage
  directory: Directory
  /** Workspace whose applications may register without a token; absent: none. */
  openRegistration?: string
  /** Registrations a minute from one address; ten times as many in all. */
  signInThrottle: number | 'off'
  clientAddress: (request: IncomingMessage) => string
}

export interface Registration {
  /** Options of the library. */
  feature: NonNullable<NonNullable<Configuration['features']>['registration']>
  /** Decides whether the request may register an application. Throws `invalid_token`, or status 429. */
  admit(ctx: KoaContextWithOIDC): Promise<void>
  /** Stores the client that the library made of an admitted request. Throws `invalid_token` or `invalid_client_metadata`. */
  store(id: string, metadata: AdapterPayload): Promise<void>
}

/** The workspace of a request, and its initial access token if it has one. */
interface Admission {
  workspaceId: string
  tokenId: string | undefined
}

/** Networks whose registrations are counted. */
const networksMax = 20_000
const registrationsPerFailure = 10

export const openRegistration = ({
  storage,
  directory,
  openRegistration: openWorkspace,
  signInThrottle,
  clientAddress,
}: Dependencies): Registration => {
  const admissions = new WeakMap<IncomingMessage, Admission>()
  const registrations = createMinuteCounter(networksMax)

  const refuseTooMany = (request: IncomingMessage): void => {
    if (signInThrottle === 'off') return
    const minute = registrations.start(toNetwork(clientAddress(request)))
    minute.count += 1
    if (minute.count <= signInThrottle * registrationsPerFailure) return
    throw Object.assign(new errors.InvalidRequest('too many registrations'), {
      status: 429,
      statusCode: 429,
      error_description: 'too many registrations from this address: wait a minute',
    })
  }
  const findAdmission = async (authorization: string | undefined): Promise<Admission | undefined> => {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    if (token !== undefined) {
      const row = await findRegistrationToken(storage.db, token)
      return row && { workspaceId: row.workspaceId, tokenId: row.id }
    }
    if (openWorkspace === undefined || authorization !== undefined) return undefined
    const workspace = await directory.workspace(openWorkspace)
    return workspace && { workspaceId: workspace.id, tokenId: undefined }
  }

  return {
    feature: {
      enabled: true,
      // `admit` checks it.
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
      idFactory: newClientId,
      secretFactory: newClientSecret,
    },
    async admit(ctx) {
      refuseTooMany(ctx.req)
      const { authorization } = ctx.req.headers
      const admission = await findAdmission(authorization)
      if (admission) {
        admissions.set(ctx.req, admission)
        return
      }
      throw refusal(ctx, authorization === undefined)
    },
    async store(id, metadata) {
      const ctx = Provider.ctx
      const admission = ctx && admissions.get(ctx.req)
      if (!ctx || !admission) throw new Error('a client was registered by a request that was not admitted')
      const settings = toSettings(metadata)
      await storage.write(async writer => {
        if (admission.tokenId !== undefined && !(await useRegistrationToken(writer, admission.tokenId)))
          throw refusal(ctx, false)
        const name = await createApplication(writer, admission.workspaceId, { id, metadata, settings })
        await recordAudit(writer, {
          workspaceId: admission.workspaceId,
          actor: admission.tokenId === undefined ? 'anybody' : `registration token ${admission.tokenId}`,
          action: 'registerApplication',
          target: id,
          detail: { name, ...settings },
          address: clientAddress(ctx.req),
          requestId: ctx.response.get('x-request-id'),
        })
      })
    },
  }
}

/** RFC 6750, section 3: a request without a token gets no error code in its header. */
const refusal = (ctx: KoaContextWithOIDC, isMissing: boolean): Error => {
  ctx.set('www-authenticate', isMissing ? 'Bearer' : 'Bearer error="invalid_token"')
  return Object.assign(new errors.InvalidToken('initial access token'), {
    error_description: isMissing
      ? 'the initial access token is missing: an administrator of the workspace creates it, and you send it as Authorization: Bearer'
      : 'the initial access token is unknown, expired or used up',
  })
}

const createApplication = async (
  writer: Writer,
  workspaceId: string,
  { id, metadata, settings }: { id: string; metadata: AdapterPayload; settings: ApplicationSettings },
): Promise<string> => {
  const name = readName(metadata) || id
  // Names are unique in a workspace, and every copy of a program registers under the same.
  for (const candidate of [name, `${name} (${id.slice(0, 8)})`]) {
    const client = await createClient(writer, {
      id,
      kind: 'application',
      workspaceId,
      name: candidate,
      settings: { ...settings, ...(candidate === name ? {} : { title: name }) },
    })
    if (!client) continue
    if (typeof metadata.client_secret === 'string') await addSecret(writer, id, null, metadata.client_secret)
    return candidate
  }
  throw new Error(`no name is free for the client ${id}`)
}

const readName = ({ client_name: name }: AdapterPayload): string =>
  typeof name === 'string' ? toVisibleName(name) : ''

const grantTypes: readonly string[] = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
]

/** Turns client metadata (RFC 7591, section 2) into settings. Throws `invalid_client_metadata`, with what is allowed. */
const toSettings = (metadata: AdapterPayload): ApplicationSettings => {
  const redirectUris = readList(metadata.redirect_uris)
  const type = readType(metadata)
  const otherGrant = readList(metadata.grant_types).find(grant => !grantTypes.includes(grant))
  if (otherGrant !== undefined)
    throw new errors.InvalidClientMetadata(
      `grant_types: found ${JSON.stringify(otherGrant)}, allowed: ${grantTypes.join(', ')}`,
    )
  if (redirectUris.length === 0)
    throw new errors.InvalidClientMetadata('redirect_uris is missing: send at least one')
  const { jwks, jwks_uri: jwksUri, backchannel_logout_uri: backchannelLogoutUri } = metadata
  const authenticatesByKey = metadata.token_endpoint_auth_method === 'private_key_jwt'
  const settings: ApplicationSettings = {
    type,
    redirectUris,
    origins: [],
    logoutUris: readList(metadata.post_logout_redirect_uris),
    own: false,
    ...(metadata.id_token_signed_response_alg === 'ES256' ? { idTokenAlgorithm: 'ES256' as const } : {}),
    ...(typeof backchannelLogoutUri === 'string' ? { backchannelLogoutUri } : {}),
    // The library has checked that it is a key set.
    ...(authenticatesByKey && jwks
      ? { publicKeys: jwks as NonNullable<ApplicationSettings['publicKeys']> }
      : {}),
    ...(authenticatesByKey && typeof jwksUri === 'string' ? { jwksUri } : {}),
  }
  const [fault] = [
    ...clientFaults({ workspace: 'it', applications: { it: withoutKeys(settings) } }),
    ...publicKeyFaults(settings.publicKeys).map(({ path, message }) => ({
      path: ['', '', ...path],
      message,
    })),
  ]
  if (fault) throw new errors.InvalidClientMetadata(describeFault(fault))
  return settings
}

const withoutKeys = ({ jwksUri: _, publicKeys: __, ...settings }: ApplicationSettings) => settings

const parameterNames: Readonly<Record<string, string>> = {
  redirectUris: 'redirect_uris',
  logoutUris: 'post_logout_redirect_uris',
  backchannelLogoutUri: 'backchannel_logout_uri',
  publicKeys: 'jwks',
}

const describeFault = ({ path, message }: { path: readonly (string | number)[]; message: string }): string =>
  `${parameterNames[String(path[2])] ?? path[2]}: ${message}`

const readType = ({
  application_type: type,
  token_endpoint_auth_method: method,
}: AdapterPayload): ApplicationSettings['type'] => {
  if (method !== 'none') return 'server'
  return type === 'native' ? 'native' : 'browser'
}

const readList = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
