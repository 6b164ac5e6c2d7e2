// The default theme without its font, in the colors of the console.
import theme from 'vitepress/theme-without-fonts'
import './colors.css'
import './docs-search.css'
import { useServerAddresses } from './server-addresses.ts'

// Only the site that a server serves itself has its addresses (config.ts).
const isServed = import.meta.env.BASE_URL === '/console/docs/' && !import.meta.env.DEV

export default {
  extends: theme,
  setup() {
    if (isServed) useServerAddresses()
  },
}
