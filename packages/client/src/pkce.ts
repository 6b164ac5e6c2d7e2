/** Random values of a sign-in, and the claims of its ID token. */

const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Returns 256 random bits. */
export const randomText = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))

/** Returns a code verifier and its S256 challenge (RFC 7636, section 4.2). */
export const createPkce = async (): Promise<{ verifier: string; challenge: string }> => {
  const verifier = randomText()
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: toBase64Url(new Uint8Array(hash)) }
}

/** Claims of the ID token (OpenID Connect Core, section 5.1), as far as the scope asks for them. */
export interface Person {
  sub: string
  email?: string
  name?: string
  nonce?: string
  [claim: string]: unknown
}

/**
 * Reads the claims of an ID token. The token comes from the token endpoint over TLS, so its signature needs no check (OpenID Connect Core,
 * section 3.1.3.7, item 6).
 */
export const readIdToken = (token: string | undefined): Person | undefined => {
  const [, payload] = token?.split('.') ?? []
  if (payload === undefined) return undefined
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), character =>
      character.charCodeAt(0),
    )
    // The claims of an ID token.
    return JSON.parse(new TextDecoder().decode(bytes)) as Person
  } catch {
    return undefined
  }
}
