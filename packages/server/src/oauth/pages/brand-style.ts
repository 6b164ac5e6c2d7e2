/** The stylesheet of a workspace's color, after that of all pages. */
import { createHash } from 'node:crypto'
import { chooseAccentColors } from '@querent/contract/accent-colors'
import { writeVariables } from './styles.ts'

/** A style element's text, and its source for `style-src` (CSP Level 3, section 2.3.1). */
export interface BrandStyle {
  text: string
  source: string
}

/** `color` is a hexadecimal color of the workspace file. */
export const createBrandStyle = (color: string): BrandStyle => {
  const dark = `:root { ${writeVariables(chooseAccentColors(color, 'dark'))} }`
  const text = `:root { ${writeVariables(chooseAccentColors(color, 'light'))} } @media (prefers-color-scheme: dark) { ${dark} }`
  return { text, source: `'sha256-${createHash('sha256').update(text).digest('base64')}'` }
}
