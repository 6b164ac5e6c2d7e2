/** Passkeys (Web Authentication): options for the browser, and verification of what it returns. */
import { displayEmail } from '@querent/contract/email-address'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Keyring } from '#keys/keyring'
import type { Log } from '#oauth/library/log'
import type { PasskeySignals } from '#oauth/pages/form'
import type { Storage } from '#storage/db'
import { findPasskey, listPasskeys, type PasskeyRow, usePasskey } from '#storage/second-factors'
import { findUser, type UserRow } from '#storage/users'
import { createPasskeyChallenges, type FormRequest } from './passkey-challenges.ts'

export interface Passkeys {
  /** False if `authUrl` is an IP address, for which browsers have no passkeys (Web Authentication, section 5.1.2). */
  isAvailable: boolean
  /** Options for signing in: with any passkey of this server, or with one of `person`. */
  requestOptions(
    pageRequest: FormRequest,
    person?: Pick<UserRow, 'id'>,
  ): Promise<PublicKeyCredentialRequestOptionsJSON>
  /** Returns the enabled person of the passkey, and the passkey. Undefined if anything is wrong. */
  verify(
    pageRequest: FormRequest,
    response: string,
  ): Promise<{ person: UserRow; passkey: PasskeyRow } | undefined>
  /** Returns the id of the response's passkey if no account has it: it was removed here. */
  findUnknown(response: string): Promise<string | undefined>
  /** Tells the browser that no account has this passkey. Undefined if one has: then the browser must keep it. */
  signalUnknown(credentialId: string): Promise<PasskeySignals | undefined>
  /** Tells the browser which passkeys the person has, and under which names. */
  signalAccepted(person: Pick<UserRow, 'id' | 'email' | 'name'>): Promise<PasskeySignals>
  creationOptions(
    pageRequest: FormRequest,
    person: Pick<UserRow, 'id' | 'email' | 'name'>,
  ): Promise<PublicKeyCredentialCreationOptionsJSON>
  /** Returns the new passkey to store. Undefined if anything is wrong. */
  verifyNew(
    pageRequest: FormRequest,
    response: string,
  ): Promise<
    Pick<PasskeyRow, 'id' | 'public_key' | 'counter' | 'transports_json' | 'synced' | 'rp_id'> | undefined
  >
  /** Whether it belongs to the host name of this server: browsers use no others here (Web Authentication, section 5.1.3). */
  isUsable(passkey: Pick<PasskeyRow, 'rp_id'>): boolean
}

/** Time for the person to touch the authenticator. */
const timeoutMs = 5 * 60 * 1000

interface Dependencies {
  storage: Storage
  keyring: Pick<Keyring, 'derive'>
  authUrl: string
  log: Log
}

/** Ed25519, ES256 and RS256 (RFC 9053; RFC 8812): the library's others are experimental in Node, which warns about them. */
const algorithms = [-8, -7, -257] as const

/** Loaded on first use: most people sign in without. */
const loadLibrary = () => import('@simplewebauthn/server')

export const openPasskeys = ({ storage, keyring, authUrl, log }: Dependencies): Passkeys => {
  const { db } = storage
  const { hostname } = new URL(authUrl)
  const site = { authUrl, hostname }
  const challenges = createPasskeyChallenges(db, keyring, log)

  const isUsable = ({ rp_id }: Pick<PasskeyRow, 'rp_id'>): boolean => rp_id === null || rp_id === hostname

  return {
    isUsable,
    isAvailable: !/^(\[|\d+(\.\d+){3}$)/.test(hostname),

    async requestOptions(pageRequest, person) {
      const { generateAuthenticationOptions } = await loadLibrary()
      const passkeys = person ? await listPasskeys(db, person.id) : []
      return generateAuthenticationOptions({
        rpID: hostname,
        challenge: challenges.make('get', pageRequest),
        userVerification: 'required',
        timeout: timeoutMs,
        allowCredentials: passkeys.filter(isUsable).map(describePasskey),
      })
    },

    async verify(pageRequest, text) {
      const response = parseResponse(text)
      const passkey = response && (await findPasskey(db, response.id))
      const person = passkey && (await findUser(db, passkey.user_id))
      if (!passkey || !person || person.disabled === 1) return undefined
      // Its shape is checked by the library.
      const authentication = response as unknown as AuthenticationResponseJSON
      const { userHandle } = Object(authentication.response)
      if (userHandle !== undefined && userHandle !== toUserHandle(person)) return undefined
      const result = await verifyAuthentication(site, challenges, pageRequest, {
        response: authentication,
        passkey,
      })
      if (!result || !(await usePasskey(db, passkey, result.newCounter))) return undefined
      return { person, passkey }
    },

    async findUnknown(text) {
      const response = parseResponse(text)
      return response && !(await findPasskey(db, response.id)) ? response.id : undefined
    },

    signalUnknown: async credentialId =>
      (await findPasskey(db, credentialId))
        ? undefined
        : { signalUnknownCredential: { rpId: hostname, credentialId } },

    async signalAccepted(person) {
      const ids = (await listPasskeys(db, person.id)).map(({ id }) => id)
      const account = { rpId: hostname, userId: toUserHandle(person) }
      return {
        signalAllAcceptedCredentials: { ...account, allAcceptedCredentialIds: ids },
        signalCurrentUserDetails: { ...account, ...describePerson(person) },
      }
    },

    async creationOptions(pageRequest, person) {
      const { generateRegistrationOptions } = await loadLibrary()
      return generateRegistrationOptions({
        rpName: hostname,
        rpID: hostname,
        userID: Uint8Array.from(Buffer.from(person.id)),
        userName: describePerson(person).name,
        userDisplayName: describePerson(person).displayName,
        challenge: challenges.make('create', pageRequest),
        supportedAlgorithmIDs: [...algorithms],
        attestationType: 'none',
        timeout: timeoutMs,
        excludeCredentials: (await listPasskeys(db, person.id)).map(describePasskey),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
    },

    async verifyNew(pageRequest, text) {
      const response = parseResponse(text)
      if (!response) return undefined
      // Its shape is checked by the library.
      const registration = response as unknown as RegistrationResponseJSON
      const info = await verifyRegistration(site, challenges, pageRequest, registration)
      return info && describeNewPasskey(info, hostname)
    },
  }
}

/** The relying party: this server. */
interface Site {
  authUrl: string
  hostname: string
}
type Challenges = ReturnType<typeof createPasskeyChallenges>

const verifyAuthentication = (
  { authUrl, hostname }: Site,
  challenges: Challenges,
  pageRequest: FormRequest,
  { response, passkey }: { response: AuthenticationResponseJSON; passkey: PasskeyRow },
) =>
  challenges.verifyOnce('get', pageRequest, async expectedChallenge => {
    const { verifyAuthenticationResponse } = await loadLibrary()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: authUrl,
      expectedRPID: hostname,
      credential: {
        id: passkey.id,
        publicKey: Uint8Array.from(Buffer.from(passkey.public_key, 'base64url')),
        counter: passkey.counter,
      },
      requireUserVerification: true,
    })
    return verified ? authenticationInfo : undefined
  })

const verifyRegistration = (
  { authUrl, hostname }: Site,
  challenges: Challenges,
  pageRequest: FormRequest,
  response: RegistrationResponseJSON,
) =>
  challenges.verifyOnce('create', pageRequest, async expectedChallenge => {
    const { verifyRegistrationResponse } = await loadLibrary()
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: authUrl,
      expectedRPID: hostname,
      supportedAlgorithmIDs: [...algorithms],
      requireUserVerification: true,
    })
    return registrationInfo
  })

type NewPasskey = NonNullable<Awaited<ReturnType<typeof verifyRegistration>>>

const describeNewPasskey = ({ credential, credentialDeviceType }: NewPasskey, hostname: string) => ({
  id: credential.id,
  public_key: Buffer.from(credential.publicKey).toString('base64url'),
  counter: credential.counter,
  transports_json: JSON.stringify((credential.transports ?? []).slice(0, transportsMax)),
  synced: credentialDeviceType === 'multiDevice' ? 1 : 0,
  rp_id: hostname,
})

/** There are six kinds (Web Authentication, section 5.8.4). */
const transportsMax = 10
/** Longest credential id (Web Authentication, section 6.5.1), in base64url. */
const idCharactersMax = 1364

/** Names that the browser shows with a passkey. */
const describePerson = ({ email, name }: Pick<UserRow, 'email' | 'name'>) => ({
  name: displayEmail(email),
  displayName: name || displayEmail(email),
})

const toUserHandle = ({ id }: Pick<UserRow, 'id'>): string => Buffer.from(id).toString('base64url')

const describePasskey = ({ id, transports_json }: PasskeyRow) => ({
  id,
  // Written only by `verifyNew`.
  transports: JSON.parse(transports_json) as string[],
})

/** Parses what the script of the page put into the form. Undefined if it is no credential. */
const parseResponse = (text: string): { id: string } | undefined => {
  try {
    const response: unknown = JSON.parse(text)
    if (typeof response !== 'object' || response === null || !('id' in response)) return undefined
    const { id } = response
    return typeof id === 'string' && id.length <= idCharactersMax ? { ...response, id } : undefined
  } catch {
    return undefined
  }
}
