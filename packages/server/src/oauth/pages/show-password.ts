/** The button that shows a password. Hidden without JavaScript, because only a script can do it. */
import { html, type Markup } from './html.ts'

export interface PasswordToggle {
  show: string
  hide: string
}

const marker = 'data-shows'

export const showPasswordButton = (fieldId: string, { show, hide }: PasswordToggle): Markup =>
  html`<button type="button" class="show" data-shows="${fieldId}" data-other="${hide}" hidden>${show}</button>`

/** Sends the field as a password again, so that browsers do not offer it as a text later. */
export const showPasswordScript = `
for (const button of document.querySelectorAll('[${marker}]')) {
  const field = document.getElementById(button.dataset.shows)
  const toggle = () => {
    field.type = field.type === 'password' ? 'text' : 'password'
    const { other } = button.dataset
    button.dataset.other = button.textContent
    button.textContent = other
  }
  button.hidden = false
  button.addEventListener('click', toggle)
  field.form.addEventListener('submit', () => { if (field.type !== 'password') toggle() })
}
`

export const hasPasswordToggle = ({ text }: Markup): boolean => text.includes(` ${marker}="`)
