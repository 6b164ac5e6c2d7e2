/** Forms and fields with labels and accessible error messages. */
import { displayEmail } from '@querent/contract/email-address'
import { html, type Markup } from './html.ts'
import { type PasswordToggle, showPasswordButton } from './show-password.ts'

/** Hidden field against forged requests. */
export const tokenField = 'form_token'

export interface Field {
  name: 'email' | 'password' | 'name' | 'user_code' | 'code'
  label: string
  type: 'email' | 'password' | 'text'
  /** Value of the HTML standard: `username`, `current-password`, `new-password`, `one-time-code`, `name`, `off`. */
  autocomplete: string
  /** Shows the keyboard for digits. */
  isNumeric?: boolean
  value?: string | undefined
  /** Shown and stored by password managers, but not editable. */
  readonly?: boolean
  hint?: string
  /** Error message of the field. */
  fault?: string | undefined
  focus?: boolean
  /** The error of the whole form concerns this field too. */
  faultOfForm?: boolean
  /** Labels of the button that shows a password, and hides it again. */
  show?: PasswordToggle
  /** Next to the label; after the field in keyboard order. */
  link?: { href: string; text: string }
}

const formFaultId = 'form-fault'

export const field = (it: Field): Markup => {
  const notes = [it.hint && `${it.name}-hint`, it.fault && `${it.name}-fault`, it.faultOfForm && formFaultId]
    .filter(Boolean)
    .join(' ')
  return html`<div class="field">
<label for="${it.name}"${!it.readonly && html` class="required"`}>${it.label}</label>
<input id="${it.name}" name="${it.name}" type="${it.type}" autocomplete="${it.autocomplete}" value="${it.type === 'email' ? displayEmail(it.value ?? '') : (it.value ?? '')}"${
    it.type === 'email' && html` inputmode="email"`
  }${it.isNumeric && html` inputmode="numeric"`}${it.type !== 'text' && html` autocapitalize="none" spellcheck="false"`}${
    it.readonly ? html` readonly` : html` required`
  }${notes !== '' && html` aria-describedby="${notes}"`}${it.fault !== undefined && html` aria-invalid="true"`}${
    it.focus && html` autofocus`
  }>
${it.show && showPasswordButton(it.name, it.show)}
${it.fault !== undefined && html`<p class="wrong" id="${it.name}-fault" role="alert">${it.fault}</p>`}
${it.hint !== undefined && html`<p class="hint" id="${it.name}-hint">${it.hint}</p>`}
${it.link !== undefined && html`<p class="lone"><a href="${it.link.href}">${it.link.text}</a></p>`}
</div>`
}

/** Error message of the whole form. */
export const alert = (text: Markup): Markup =>
  html`<p class="alert" id="${formFaultId}" role="alert">${text}</p>`

export interface Button {
  text: string
  /** Value of the field `action`. */
  action: string
  /** Secondary button, which does not require filled-in fields. */
  second?: boolean
  /** Looks like a link: leaves without doing anything. */
  plain?: boolean
}

/** Enter presses the first button. */
export const form = (
  token: string,
  fields: readonly Markup[],
  buttons: readonly Button[],
  /** Default: the page's own address. */
  action?: string,
): Markup =>
  // The server validates, to show errors in the reader's language next to the field.
  html`<form method="post" novalidate${action !== undefined && html` action="${action}"`}>
<input type="hidden" name="${tokenField}" value="${token}">
${fields}
${buttons.map(
  ({ text, action, second, plain }) =>
    html`<button name="action" value="${action}"${(second || plain) && html` class="${plain ? 'plain' : 'second'}"`}>${text}</button>\n`,
)}</form>`

/** Calls of the browser's signal methods, by name, with their options (Web Authentication Level 3, section 5.1.10). */
export type PasskeySignals = Readonly<Record<string, object>>

/** Made by the script of the page (passkey-script.ts). */
export const passkeySignals = (signals: PasskeySignals): Markup =>
  html`<div data-passkey-signals="${JSON.stringify(signals)}" hidden></div>`

/** A form that a passkey fills in. Shown by the script of the page (passkey-script.ts). */
export const passkeyForm = (
  token: string,
  {
    kind,
    options,
    fields = [],
    button,
    second,
    otherButton,
    faults,
  }: {
    kind: 'get' | 'create'
    /** Options for the browser, as JSON. */
    options: object
    fields?: readonly Markup[]
    button: string
    second?: boolean
    /** Looks like a link: leaves without doing anything. */
    plain?: boolean
    /** Another way to send the form. The script sends its value as `action`; without, none is sent. */
    otherButton?: Pick<Button, 'text' | 'action'> | undefined
    faults: { failed: string; exists: string }
  },
): Markup =>
  html`<form method="post" class="passkey" data-passkey="${kind}" data-options="${JSON.stringify(options)}" data-needs-passkeys hidden>
<input type="hidden" name="${tokenField}" value="${token}">
<input type="hidden" name="passkey" value="">
${fields}
<p class="wrong" role="alert" data-fault="${faults.failed}" data-exists="${faults.exists}" hidden></p>
<button name="action" value="passkey"${second && html` class="second"`}>${button}</button>
${otherButton && html`<button name="action" value="${otherButton.action}" class="second">${otherButton.text}</button>`}
</form>`
