/** Access tokens of people who sign in to the console, obtained by a plain HTTP client. */
import { createHash, randomBytes } from 'node:crypto'
import type { Person } from './person.ts'
import type { StartedServer } from './started-server.ts'

/** Uses the authorization code grant. Default audience: the management API. */
export const consoleToken = async (
  { authUrl }: Pick<StartedServer, 'authUrl'>,
  person: Person,
  audience = `${authUrl}/manage/`,
): Promise<string> => {
  const verifier = randomBytes(32).toString('base64url')
  const redirectUri = `${authUrl}/console/callback`
  const parameters = new URLSearchParams({
    client_id: 'console',
    response_type: 'code',
    redirect_uri: redirectUri,
    audience,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const landed = await person.completeFlow(`${authUrl}/authorize?${parameters}`)
  const code = landed.searchParams.get('code')
  if (code === null) throw new Error(`no code: ${landed}`)
  const reply = await fetch(`${authUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'console',
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    }),
  })
  if (reply.status !== 200) throw new Error(`no token: ${reply.status} ${await reply.text()}`)
  // RFC 6749, section 5.1.
  const { access_token } = (await reply.json()) as { access_token: string }
  return access_token
}
