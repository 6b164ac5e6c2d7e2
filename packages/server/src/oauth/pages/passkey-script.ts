/** The script of pages for passkeys and recovery codes. All other pages work without one. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The library's build for browsers without modules; it defines `SimpleWebAuthnBrowser`. */
const libraryFile = new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser'))

/**
 * Shows what needs a script. A form with `data-passkey` gets the response of the authenticator into its field
 * `passkey` and is sent. With a field for addresses that accepts passkeys, browsers also suggest them there.
 * `data-passkey-signals` tells the browser which passkeys no longer work, and the person's names (Web Authentication Level 3, section 5.1.10).
 */
const ownScript = `
(() => {
  const webauthn = SimpleWebAuthnBrowser
  const show = selector => document.querySelectorAll(selector).forEach(element => { element.hidden = false })
  show('[data-needs-script]')
  for (const button of document.querySelectorAll('[data-copy]'))
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).innerText)
      button.textContent = button.dataset.done
    })
  for (const button of document.querySelectorAll('[data-print]')) button.addEventListener('click', () => print())
  for (const { dataset } of document.querySelectorAll('[data-passkey-signals]'))
    for (const [name, options] of Object.entries(JSON.parse(dataset.passkeySignals)))
      // The browser only hides outdated passkeys by it.
      if (window.PublicKeyCredential && name in PublicKeyCredential) PublicKeyCredential[name](options).catch(() => {})
  const form = document.querySelector('form[data-passkey]')
  if (!form || !webauthn.browserSupportsWebAuthn()) return
  show('[data-needs-passkeys]')
  const optionsJSON = JSON.parse(form.dataset.options)
  const run = form.dataset.passkey === 'create' ? webauthn.startRegistration : webauthn.startAuthentication
  const message = form.querySelector('[data-fault]')
  const send = (response, button) => {
    form.elements.passkey.value = JSON.stringify(response)
    if (button && button.value !== 'passkey') {
      const action = document.createElement('input')
      Object.assign(action, { type: 'hidden', name: 'action', value: button.value })
      form.append(action)
    }
    form.submit()
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    message.hidden = true
    run({ optionsJSON }).then(response => send(response, event.submitter), error => {
      message.textContent = error.name === 'InvalidStateError' ? message.dataset.exists : message.dataset.fault
      message.hidden = false
    })
  })
  for (const field of document.querySelectorAll('input[name=offer_passkey]'))
    webauthn.platformAuthenticatorIsAvailable().then(isAvailable => { field.value = isAvailable ? 'yes' : '' })
  if (document.querySelector('input[autocomplete~=webauthn]'))
    webauthn.browserSupportsWebAuthnAutofill().then(isSupported => {
      if (isSupported)
        webauthn.startAuthentication({ optionsJSON, useBrowserAutofill: true }).then(response => send(response), () => {})
    })
})()
`

const script = `${readFileSync(fileURLToPath(libraryFile), 'utf8')}\n${ownScript}`

/** Path of the script. It changes with the script, so browsers may keep it. */
export const passkeyScriptPath = `/assets/passkeys-${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`

export const passkeyScript = { body: script, contentType: 'text/javascript; charset=utf-8' }
