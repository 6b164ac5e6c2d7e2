/**
 * Shows the addresses of the server that serves the documentation in place of `{auth_url}` and `{base_url}`, and in the commands that set
 * `AUTH_URL` and `BASE_URL`. The pages are the same files on
 * every server, so the browser asks for the addresses (packages/server/src/http/console.ts).
 */
import { useRoute } from 'vitepress'
import { nextTick, onMounted, watch } from 'vue'

type Addresses = Readonly<Record<'auth_url' | 'base_url', string>>

/** Undefined if the server does not answer: then the placeholders stay. */
const fetchAddresses = async (): Promise<Addresses | undefined> => {
  try {
    const reply = await fetch(`${import.meta.env.BASE_URL}addresses.json`)
    // The server of this site wrote it.
    return reply.ok ? ((await reply.json()) as Addresses) : undefined
  } catch {
    return undefined
  }
}

const placeholders = /\{(auth_url|base_url)\}/g

/** The addresses of `querent demo`, as the pages set them. */
const demoAddresses = { auth_url: 'http://127.0.0.1:4001', base_url: 'http://127.0.0.1:4000' }

/** Replaces them only in a block that sets the variables: elsewhere, such as behind a proxy, they are right. */
const replaceDemoAddresses = (addresses: Addresses): void => {
  for (const block of document.querySelectorAll('.vp-doc pre')) {
    if (!block.textContent.startsWith(`AUTH_URL=${demoAddresses.auth_url}`)) continue
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      for (const name of ['auth_url', 'base_url'] as const)
        node.nodeValue = node.nodeValue?.replace(demoAddresses[name], addresses[name]) ?? null
  }
}

const replacePlaceholders = (addresses: Addresses): void => {
  for (const content of document.querySelectorAll('.vp-doc')) {
    const texts = document.createTreeWalker(content, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      if (node.nodeValue?.includes('_url}'))
        node.nodeValue = node.nodeValue.replaceAll(
          placeholders,
          // The pattern has these names.
          (_, name: string) => addresses[name as keyof Addresses],
        )
  }
}

/** Call it in the setup of the theme. Works on each page that opens. */
export const useServerAddresses = (): void => {
  const route = useRoute()
  onMounted(async () => {
    const addresses = await fetchAddresses()
    if (!addresses) return
    const show = () => {
      replacePlaceholders(addresses)
      replaceDemoAddresses(addresses)
    }
    show()
    watch(
      () => route.path,
      () => void nextTick(show),
    )
  })
}
