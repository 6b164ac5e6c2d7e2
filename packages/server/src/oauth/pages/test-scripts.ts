/** For tests: pages without the scripts that belong to them. */

import { submitOnceScript } from './page.ts'
import { showPasswordScript } from './show-password.ts'

export const withoutOurScripts = (text: string): string =>
  [showPasswordScript, submitOnceScript].reduce(
    (rest, script) => rest.replace(`<script>${script}</script>`, ''),
    text.replaceAll(/<script src="http[^"<>]*\/assets\/passkeys-\w+\.js"><\/script>/g, ''),
  )
