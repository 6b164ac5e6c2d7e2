/** Sends a response to an application as a form (OAuth 2.0 Form Post Response Mode). */
import type { FormPost, Reader } from '#oauth/library/interaction-types'
import { html } from './html.ts'
import { chooseLocale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export interface FormPostFacts extends FormPost {
  status: number
  /** Title of the application, if known. */
  application: string | undefined
}

/** Submits itself; without JavaScript, or after going back, by its button. */
export const formPostPage = (
  { status, application, action, fields }: FormPostFacts,
  reader: Reader,
): Page => {
  const locale = chooseLocale({ ...reader, address: undefined })
  const { formPost } = locale.texts
  return renderPage(locale, {
    title: application === undefined ? formPost.titleWithoutName : formPost.title({ application }),
    status,
    main: html`<p>${formPost.text}</p>
<form method="post" action="${action}">
${fields.map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}"/>
`,
)}<button>${formPost.submit}</button>
</form>`,
    leadsToApplication: true,
    script: 'document.forms[0].submit()',
  })
}
