/** The stylesheet of a workspace's color, after that of all pages. */
import { createHash } from 'node:crypto'
import { type AccentColors, chooseAccentColors } from '@querent/contract/branding'

/** A style element's text, and its source for `style-src` (CSP Level 3, section 2.3.1). */
export interface BrandStyle {
  text: string
  source: string
}

const variables = ({ accent, strong, onAccent }: AccentColors): string =>
  `:root { --accent: ${accent}; --accent-strong: ${strong}; --on-accent: ${onAccent}; }`

/** `color` is a hexadecimal color of the workspace file. */
export const createBrandStyle = (color: string): BrandStyle => {
  const dark = variables(chooseAccentColors(color, 'dark'))
  const text = `${variables(chooseAccentColors(color, 'light'))} @media (prefers-color-scheme: dark) { ${dark} }`
  return { text, source: `'sha256-${createHash('sha256').update(text).digest('base64')}'` }
}
