/** Signs people in by authorization code with PKCE, and searches with the access token. */
import { UserManager } from 'oidc-client-ts'

/** Of the server, of this application, and of what it searches; a real application has them in its build. */
const { authUrl, baseUrl, clientId, workspace, api } = await (await fetch('/settings.json')).json()

const manager = new UserManager({
  authority: authUrl,
  client_id: clientId,
  redirect_uri: `${location.origin}/callback`,
  post_logout_redirect_uri: location.origin,
  // A refresh token comes with offline_access alone.
  scope: 'openid profile email offline_access',
  // For which service the access token is. Without it the query service refuses the token.
  extraQueryParams: { audience: baseUrl },
})

const element = id => document.getElementById(id)
const say = text => {
  element('outcome').textContent = text
}

const show = user => {
  element('person').textContent = user ? `Signed in as ${user.profile.email}.` : 'Not signed in.'
  element('sign-in').hidden = user !== null
  for (const id of ['renew', 'sign-out', 'search']) element(id).hidden = user === null
}

const search = async words => {
  const user = await manager.getUser()
  const path = `/4/${workspace}/api/${api}/e/search/p/query/${encodeURIComponent(words)}/results`
  const reply = await fetch(baseUrl + path, {
    headers: { authorization: `Bearer ${user?.access_token}` },
  })
  const body = await reply.json()
  element('results').replaceChildren()
  if (!reply.ok) return say(`${reply.status}: ${body.message}`)
  for (const { tuple } of body.items) {
    const item = document.createElement('li')
    item.textContent = tuple[0].attributes.title
    element('results').append(item)
  }
  say(`${body.items.length} results`)
}

/** Errors belong on the page: "access_denied" when the person said no. */
const attempt = work =>
  work().catch(error =>
    say([error.error, error.error_description ?? error.message].filter(Boolean).join(': ')),
  )

element('sign-in').onclick = () => attempt(() => manager.signinRedirect())
element('sign-out').onclick = () => attempt(() => manager.signoutRedirect())
element('renew').onclick = () =>
  attempt(async () => {
    show(await manager.signinSilent())
    say('The token is renewed.')
  })
element('search').onsubmit = event => {
  event.preventDefault()
  attempt(() => search(new FormData(event.target).get('words')))
}

await attempt(async () => {
  if (location.pathname !== '/callback') return
  const answer = location.href
  // Neither the code nor an error is kept in the history.
  history.replaceState(null, '', '/')
  await manager.signinRedirectCallback(answer)
})
show(await manager.getUser())
document.body.dataset.ready = 'true'
