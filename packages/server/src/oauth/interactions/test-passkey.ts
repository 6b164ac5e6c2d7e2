/** For tests: an authenticator in software, which signs whatever a test wants (Web Authentication, section 6). */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const userPresent = 0x01
const userVerified = 0x04
const hasCredential = 0x40

/** Differences from an honest authenticator in an honest browser. */
export interface Deviation {
  origin?: string
  rpId?: string
  challenge?: string
  counter?: number
  userHandle?: string
  isVerified?: boolean
  type?: string
}

interface Options {
  challenge: string
  rpId?: string
  rp?: { id?: string }
  user?: { id: string }
}

/** The options in the form of a page. */
export const readPasskeyOptions = ({ text }: { text: string }): Options => {
  const [, escaped = ''] = /data-options="([^"]*)"/.exec(text) ?? []
  const json = escaped.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  // Written by the page.
  return JSON.parse(json) as Options
}

export const createAuthenticator = (origin: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let counter = 0
  let userHandle = ''

  const makeAuthenticatorData = (rpId: string, flags: number, count: number): Buffer => {
    const counterBytes = Buffer.alloc(4)
    counterBytes.writeUInt32BE(count)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counterBytes])
  }
  const makeClientData = (type: string, options: Options, deviation: Deviation): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: deviation.type ?? type,
        challenge: deviation.challenge ?? options.challenge,
        origin: deviation.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const makeFlags = ({ isVerified = true }: Deviation) => userPresent | (isVerified ? userVerified : 0)

  return {
    id,
    /** Signs in with any options of this server. */
    get(options: Options, deviation: Deviation = {}): string {
      counter += 1
      const rpId = deviation.rpId ?? options.rpId ?? ''
      const authenticatorData = makeAuthenticatorData(
        rpId,
        makeFlags(deviation),
        deviation.counter ?? counter,
      )
      const clientData = makeClientData('webauthn.get', options, deviation)
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), privateKey)
      return JSON.stringify({
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: deviation.userHandle ?? userHandle,
        },
      })
    },
    /** Creates the credential, without attestation. */
    create(options: Options, deviation: Deviation = {}): string {
      userHandle = options.user?.id ?? ''
      const rpId = deviation.rpId ?? options.rp?.id ?? ''
      // COSE key of ES256 (RFC 9053, section 7.1.1).
      const coseKey = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ])
      const authenticatorData = Buffer.concat([
        makeAuthenticatorData(rpId, makeFlags(deviation) | hasCredential, counter),
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        coseKey,
      ])
      // CBOR of { fmt: 'none', attStmt: {}, authData }.
      const attestationObject = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.from([authenticatorData.length]),
        authenticatorData,
      ])
      return JSON.stringify({
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: makeClientData('webauthn.create', options, deviation).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      })
    },
  }
}
