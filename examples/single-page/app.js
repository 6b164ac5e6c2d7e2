/** Signs people in by authorization code with PKCE, and searches with the access token. */
import { UserManager } from 'oidc-client-ts'

/** Settings of the server, this application, and its search. A real application has them in its build. */
const { authUrl, baseUrl, clientId, workspace, api } = await (await fetch('/settings.json')).json()

const manager = new UserManager({
  authority: authUrl,
  client_id: clientId,
  redirect_uri: `${location.origin}/callback`,
  post_logout_redirect_uri: location.origin,
  // Only offline_access gives a refresh token.
  scope: 'openid profile email offline_access',
  // The service that the access token is for. Without it, the query service rejects the token.
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
  const path = `/4/${workspace}/api/${api}/e/search/p/query/${encodeURIComponent(words)}/results,count`
  const reply = await fetch(baseUrl + path, {
    headers: { authorization: `Bearer ${user?.access_token}` },
  })
  // The session has ended, for example because of a new password. Only a new sign-in helps.
  if (reply.status === 401) return signInAgain()
  const body = await reply.json()
  element('results').replaceChildren()
  if (!reply.ok) return say(`${reply.status}: ${body.message}`)
  const [{ items }, { total }] = body
  for (const { tuple } of items) {
    const item = document.createElement('li')
    item.textContent = readTitle(tuple[0])
    element('results').append(item)
  }
  say(items.length < total ? `The first ${items.length} of ${total} results` : `${total} results`)
}

const signInAgain = async () => {
  await manager.removeUser()
  show(null)
  await manager.signinRedirect()
}

/** The field of your documents that names them. Without one called title or name, it is the first text, or the id. */
const readTitle = ({ id, attributes }) => {
  const { title, name, ...others } = attributes
  const isText = value => typeof value === 'string' && value.trim() !== ''
  return [title, name, ...Object.values(others)].flat().find(isText) ?? id
}

/** The page shows errors, such as "access_denied" if the person declines. */
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
  // Removes the code or error from the browser history.
  history.replaceState(null, '', '/')
  await manager.signinRedirectCallback(answer)
})
show(await manager.getUser())
document.body.dataset.ready = 'true'
