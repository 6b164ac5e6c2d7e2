/** Addresses of the demo that people open in their browser. */

/**
 * Returns the address of the authorization server with the name `localhost`: browsers offer no passkeys for IP addresses (Web Authentication,
 * section 5.1.3). Other addresses stay, and so does one that is not known yet.
 */
export const nameLoopback = (authUrl: string | undefined): string | undefined =>
  authUrl?.replace(/^http:\/\/127\.0\.0\.1(?=:|$)/, 'http://localhost')
