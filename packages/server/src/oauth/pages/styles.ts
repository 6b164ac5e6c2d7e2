/**
 * The stylesheet, inlined in each page: no second request, and allowed by its hash only. Colors meet WCAG 2.2
 * AA in light and dark: text at least 4.5 to 1, edges of fields and buttons at least 3 to 1
 * (tests/sign-in/pages.test.ts).
 */
import { createHash } from 'node:crypto'
import { pageColors } from '@querent/contract/page-colors'

/** Writes colors as custom properties: `--on-accent: #ffffff;` for `onAccent`. */
export const writeVariables = (colors: object): string =>
  Object.entries(colors)
    .map(([name, color]) => `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}: ${color};`)
    .join(' ')

export const styles = `
:root { color-scheme: light dark; ${writeVariables(pageColors.light)} }
@media (prefers-color-scheme: dark) { :root { ${writeVariables(pageColors.dark)} } }
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; padding: .75rem; display: flex; flex-direction: column; align-items: center;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
.mark img { display: block; max-width: 16rem; max-height: 4rem; }
footer, footer nav { display: flex; flex-wrap: wrap; justify-content: center; gap: 0 1rem; }
footer { margin: 1rem 0 0; color: var(--quiet); font-size: .875rem; }
footer a, footer span { display: inline-flex; align-items: center; min-height: 2.75rem; }
footer span { font-weight: 600; }
.product { display: inline-flex; align-items: center; gap: .5rem; color: var(--text); font-size: 1rem; }
.product img { width: 1.75rem; height: 1.75rem; }
.mark { margin: 0 0 .75rem; color: var(--quiet); font-size: .875rem; font-weight: 600; letter-spacing: .02em; }
main {
  width: 100%; max-width: 26rem; padding: 1.5rem; overflow-wrap: anywhere;
  background: var(--card); border: 1px solid var(--line); border-radius: .75rem;
}
@media (min-width: 40rem) {
  body { padding: 10vh 1rem 2rem; }
  main { padding: 2rem; box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 8px 24px rgb(0 0 0 / 6%); }
}
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; font-weight: 650; text-wrap: balance; }
h1 + p { margin-top: .5rem; }
h2 { margin: 1.5rem 0 .25rem; font-size: 1.125rem; line-height: 1.25; font-weight: 650; }
p { margin: 0 0 .75rem; }
.way { margin: 1.25rem 0 0; }
.way + form, .way + p:has(> .button) { margin-top: .75rem; }
main > :last-child, form > :last-child, p > .button { margin-bottom: 0; }
form + p { margin-top: .75rem; }
h1 + .host { margin-top: .75rem; }
.host {
  padding: .5rem .75rem; font-size: 1.125rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--page);
}
.quiet { color: var(--quiet); }
.small { font-size: .875rem; }
form { margin: 1.25rem 0 0; }
.field { margin: 0 0 1rem; }
/* The star stays with the last word. */
label { display: block; margin: 0 0 .25rem; font-weight: 600; overflow-wrap: normal; }
label.required::after { content: "\\a0*" / ""; color: var(--fault); }
.field:has(.show) { position: relative; }
.field:has(.show:not([hidden])) label { padding-right: 8.5rem; }
.field .show {
  position: absolute; top: -.625rem; right: 0; width: auto; margin: 0; padding: .25rem 0; font-size: .875rem; font-weight: 400;
  color: var(--accent); background: transparent; border: 0; text-decoration: underline; text-underline-offset: .15em;
}
.field .show:hover { color: var(--accent-strong); background: transparent; }
input {
  display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--edge); border-radius: .5rem;
}
input[readonly] { background: var(--page); }
input[aria-invalid] { border: 2px solid var(--fault); }
.hint { margin: .375rem 0 0; color: var(--quiet); font-size: .875rem; }
.wrong { margin: .375rem 0 0; color: var(--fault); font-size: .875rem; font-weight: 600; }
.alert a { color: inherit; }
.alert {
  margin: 1rem 0 0; padding: .75rem 1rem; color: var(--fault); background: var(--fault-page);
  border: 1px solid var(--fault); border-radius: .5rem;
}
button, .button {
  display: block; width: 100%; min-height: 2.75rem; margin: 0 0 .75rem; padding: .5rem 1rem; font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; cursor: pointer; border: 1px solid var(--accent); border-radius: .5rem;
  background: var(--accent); color: var(--on-accent);
}
button:hover, .button:hover { background: var(--accent-strong); }
button.second, .button.second { background: transparent; border-color: var(--edge); color: var(--text); }
button.second:hover, .button.second:hover { background: var(--page); }
button.plain { background: transparent; border-color: transparent; color: var(--accent); font-weight: 400; }
button.plain:hover { background: transparent; color: var(--accent-strong); text-decoration: underline; text-underline-offset: .15em; }
a { color: var(--accent); text-underline-offset: .15em; }
.lone { margin: 0; }
.lone a { display: inline-flex; align-items: center; min-height: 2.75rem; font-size: .875rem; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.done { padding: .75rem 1rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--page); }
.links, .factors { margin: 0; padding: 0; list-style: none; }
.links a, .factors a { display: inline-flex; align-items: center; min-height: 2.75rem; }
.factors li { padding: .5rem 0 0; border-top: 1px solid var(--line); }
.factors .hint { display: block; margin: 0; }
.qr { display: block; width: 15rem; height: 15rem; margin: 0 auto 1rem; border-radius: .5rem; background: #fff; }
.secret, .codes { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; }
.codes { margin: 0 0 1rem; padding: 1rem; list-style: none; columns: 2; background: var(--page); border: 1px solid var(--line); border-radius: .5rem; }
.codes code { font: inherit; }
.tools { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; }
.tools .button, .tools button { width: auto; margin: 0; }
.on-phone { display: none; }
@media (pointer: coarse) { .on-phone { display: block; } }
[hidden] { display: none !important; }
@media print { .mark, form, .tools { display: none; } }
.permissions { margin: 0 0 .75rem; padding: 0; list-style: none; }
.permissions li { position: relative; padding: .125rem 0 .125rem 1.75rem; }
.permissions li::before { content: "✓" / ""; position: absolute; left: .25rem; color: var(--accent); font-weight: 700; }
.details {
  margin: 1rem 0 0; padding: 1rem 0 0; border-top: 1px solid var(--line); color: var(--quiet); font-size: .875rem;
}
.details dt { font-weight: 600; }
.details dd { margin: 0 0 .5rem; }
.details code { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; }
@media (forced-colors: active) { main, input, button, .button { border: 1px solid; } }
`

/** For `style-src` (CSP Level 3, section 2.3.1). */
export const stylesSource = `'sha256-${createHash('sha256').update(styles).digest('base64')}'`
