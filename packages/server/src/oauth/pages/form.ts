/** Forms and their fields: labels that belong to them, faults that are read out with them. */
import { html, type Markup } from './html.ts'

/** Name of the hidden field against forged requests. */
export const tokenField = 'form_token'

export interface Field {
  name: 'email' | 'password' | 'name'
  label: string
  type: 'email' | 'password' | 'text'
  /** Of the HTML standard: `username`, `current-password`, `new-password`, `name`. */
  autocomplete: string
  value?: string | undefined
  /** Shown, and part of what a password manager stores, but not to be changed. */
  readonly?: boolean
  hint?: string
  /** What to mend. */
  fault?: string | undefined
  focus?: boolean
  /** What is wrong with the whole form concerns this field too. */
  faultOfForm?: boolean
  /** Beside the label; behind the field for the keyboard. */
  link?: { href: string; text: string }
}

const formFaultId = 'form-fault'

export const field = (it: Field): Markup => {
  const notes = [it.hint && `${it.name}-hint`, it.fault && `${it.name}-fault`, it.faultOfForm && formFaultId]
    .filter(Boolean)
    .join(' ')
  return html`<div class="field">
<label for="${it.name}">${it.label}</label>
<input id="${it.name}" name="${it.name}" type="${it.type}" autocomplete="${it.autocomplete}" value="${it.value ?? ''}"${
    it.type === 'email' && html` inputmode="email"`
  }${it.type !== 'text' && html` autocapitalize="none" spellcheck="false"`}${
    it.readonly ? html` readonly` : html` required`
  }${notes !== '' && html` aria-describedby="${notes}"`}${it.fault !== undefined && html` aria-invalid="true"`}${
    it.focus && html` autofocus`
  }>
${it.fault !== undefined && html`<p class="wrong" id="${it.name}-fault" role="alert">${it.fault}</p>`}
${it.hint !== undefined && html`<p class="hint" id="${it.name}-hint">${it.hint}</p>`}
${it.link !== undefined && html`<p class="lone"><a href="${it.link.href}">${it.link.text}</a></p>`}
</div>`
}

/** What is wrong with the form as a whole. */
export const alert = (text: Markup): Markup =>
  html`<p class="alert" id="${formFaultId}" role="alert">${text}</p>`

export interface Button {
  text: string
  /** Value of the field `action`. */
  action: string
  /** Not the one that most people want. It asks for no filled-in fields. */
  second?: boolean
}

/** POSTs to the page's own address. The first button is the one that Enter presses. */
export const form = (token: string, fields: readonly Markup[], buttons: readonly Button[]): Markup =>
  // Faults are told by the server: in the reader's language, beside the field.
  html`<form method="post" novalidate>
<input type="hidden" name="${tokenField}" value="${token}">
${fields}
${buttons.map(
  ({ text, action, second }) =>
    html`<button name="action" value="${action}"${second && html` class="second"`}>${text}</button>\n`,
)}</form>`
