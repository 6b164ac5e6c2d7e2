/** Sign-in at Querent by authorization code with PKCE. Auth.js reads AUTH_SECRET and the AUTH_QUERENT_… variables from the environment. */
import NextAuth from 'next-auth'
import { keepTokens, revoke } from '#tokens'

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'querent',
      name: 'Querent',
      type: 'oidc',
      checks: ['pkce', 'state', 'nonce'],
      authorization: {
        params: {
          scope: 'openid profile email offline_access',
          // The service that the access token is for. Without it, the query service rejects the token.
          audience: process.env.QUERENT_URL,
        },
      },
    },
  ],
  callbacks: {
    // The session's cookie is encrypted and HttpOnly. /api/auth/session shows name and email only, so tokens never reach the browser.
    jwt: ({ token, account }) => (account ? keepTokens(token, account) : token),
  },
  events: {
    signOut: async message => {
      if ('token' in message && message.token) await revoke(message.token)
    },
  },
})
