import { Badge, type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

/** Around the accent of the sign-in pages (server/src/oauth/pages/styles.ts), from light to dark. */
const querent: MantineColorsTuple = [
  '#edf1ff',
  '#d8e1fd',
  '#b3c4f8',
  '#8ca5f3',
  '#6a8bee',
  '#547bec',
  '#3f68e0',
  '#2b50c8',
  '#213fa3',
  '#17307f',
]

export const theme = createTheme({
  colors: { querent },
  primaryColor: 'querent',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  components: { Badge: Badge.extend({ defaultProps: { tt: 'none', fw: 500 } }) },
})

/** Quiet text, on all backgrounds of ours at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { '--mantine-color-dimmed': '#565c6b', '--mantine-color-placeholder': '#686e7d' },
  dark: { '--mantine-color-dimmed': '#adb3c2', '--mantine-color-placeholder': '#9aa1b2' },
})
