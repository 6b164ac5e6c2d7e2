/** For tests: pages without the scripts that belong to them. */
import { showPasswordScript } from './show-password.ts'
import { submitOnceScript } from './submit-once.ts'

export const withoutOurScripts = (text: string): string =>
  [showPasswordScript, submitOnceScript].reduce(
    (rest, script) => rest.replace(`<script>${script}</script>`, ''),
    text,
  )
