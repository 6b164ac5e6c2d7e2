// The default theme without its font, in the colors of the console.
import theme from 'vitepress/theme-without-fonts'
import './colors.css'
import './docs-search.css'

export default theme
