// The default theme without its font, in the colors of the console.

import theme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './colors.css'
import './docs-search.css'
import { useServerAddresses } from './server-addresses.ts'

// Only the site that a server serves itself has its addresses and its console (config.ts).
const isServed = import.meta.env.BASE_URL === '/console/docs/' && !import.meta.env.DEV

// The router of the site must not open it, because the console is no page of the site.
const consoleLink = () =>
  h('a', { class: 'console-link', href: '/console/', target: '_self' }, 'Open console')

export default {
  extends: theme,
  Layout: () =>
    h(
      theme.Layout,
      null,
      isServed ? { 'nav-bar-content-after': consoleLink, 'nav-screen-content-after': consoleLink } : {},
    ),
  setup() {
    if (isServed) useServerAddresses()
  },
}
