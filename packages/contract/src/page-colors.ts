/** Colors of the sign-in pages. The console (ui/theme.ts), the demo and the documentation have the same grounds, edges and marks. */

/** The accent color of pages in one color scheme. Text on it, and links in it, have a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export interface AccentColors {
  accent: string
  /** While a button or link is pointed at. */
  accentStrong: string
  onAccent: string
}

/** Colors of the sign-in pages: text has at least 4.5 to 1, edges of fields and buttons 3 to 1 (WCAG 2.2 AA). */
export interface PageColors extends AccentColors {
  page: string
  card: string
  line: string
  edge: string
  text: string
  quiet: string
  fault: string
  faultPage: string
}

export const colorSchemes = ['light', 'dark'] as const
export type ColorScheme = (typeof colorSchemes)[number]

/** Colors of a workspace without a color of its own. */
export const pageColors: Readonly<Record<ColorScheme, PageColors>> = {
  light: {
    page: '#f6f7f9',
    card: '#ffffff',
    line: '#dcdfe6',
    edge: '#767c8c',
    text: '#1b1e27',
    quiet: '#565c6b',
    accent: '#2b50c8',
    accentStrong: '#213fa3',
    onAccent: '#ffffff',
    fault: '#b3261e',
    faultPage: '#fdf1f0',
  },
  dark: {
    page: '#12141a',
    card: '#1c1f28',
    line: '#343947',
    edge: '#868da0',
    text: '#eceef4',
    quiet: '#adb3c2',
    accent: '#9fb6ff',
    accentStrong: '#bccbff',
    onAccent: '#10183a',
    fault: '#ff9a90',
    faultPage: '#351c1c',
  },
}
