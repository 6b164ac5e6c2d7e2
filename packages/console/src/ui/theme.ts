import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import { t } from '#i18n/translate.ts'

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

/** The dark grounds, edges and texts of the sign-in pages (contract/src/page-colors.ts): text, border, hover, field and page are 0, 4, 5, 6 and 7. */
const dark: MantineColorsTuple = [
  '#eceef4',
  '#c9cdd8',
  '#adb3c2',
  '#868da0',
  '#343947',
  '#282d39',
  '#1c1f28',
  '#12141a',
  '#0e1015',
  '#0a0c10',
]

export const theme = createTheme({
  colors: { querent, dark },
  primaryColor: 'querent',
  // White text on it has at least 4.5 to 1, and it has 3 to 1 on the page (WCAG 2.2, 1.4.3 and 1.4.11).
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  // By name: `Modal.extend` would have every page load what few of them show.
  components: {
    // Colour alone does not tell a link from the text around it (WCAG 2.2, 1.4.1).
    Anchor: { defaultProps: { underline: 'always', inherit: true } },
    // Its `header` is none of the page.
    Modal: {
      defaultProps: {
        attributes: { header: { role: 'none' } },
        styles: { title: { fontWeight: 600, lineHeight: 1.3 } },
      },
    },
    Fieldset: { defaultProps: { styles: { legend: { fontWeight: 600 } } } },
    NavLink: { defaultProps: { bdrs: 'md', px: 'sm', py: 6 } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': t('Show or hide the password') } },
    },
    Badge: { defaultProps: { tt: 'none', fw: 500, variant: 'light' } },
  },
})

/** Text on a light ground of its color. */
const tintVariables = (colors: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(colors).map(([name, color]) => [`--mantine-color-${name}-light-color`, color]),
  )

/** Background colors of badges, notes and quiet buttons, and of these buttons under the pointer. */
const createBackgrounds = (
  backgrounds: Record<string, readonly [background: string, hover: string]>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(backgrounds).flatMap(([name, [background, hover]]) => [
      [`--mantine-color-${name}-light`, background],
      [`--mantine-color-${name}-light-hover`, hover],
    ]),
  )

/** White text on it, in both schemes. */
const filledRed = { '--mantine-color-red-filled': '#c92a2a', '--mantine-color-red-filled-hover': '#b02525' }

/** Quiet and colored text, on all backgrounds of ours at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#565c6b',
    '--mantine-color-placeholder': '#686e7d',
    '--mantine-color-error': '#b42318',
    ...filledRed,
    ...tintVariables({
      green: '#1b5e2b',
      orange: '#8f3300',
      yellow: '#6b4400',
      red: '#a11d1d',
      gray: '#495057',
    }),
  },
  dark: {
    '--mantine-color-anchor': '#b3c4f8',
    '--mantine-color-dimmed': '#adb3c2',
    '--mantine-color-placeholder': '#9aa1b2',
    '--mantine-color-error': '#ff9c93',
    // Mantine's are either darker than the page or so bright that a note looks like an alarm.
    ...createBackgrounds({
      querent: ['#2b365c', '#34416d'],
      gray: ['#2a2f3b', '#343947'],
      green: ['#1f3d29', '#264a32'],
      yellow: ['#443815', '#51431a'],
      orange: ['#4a2f1c', '#573822'],
      red: ['#4d2527', '#5c2c2f'],
    }),
    ...filledRed,
    ...tintVariables({
      green: '#a3e9b0',
      orange: '#ffc9a3',
      yellow: '#ffe08a',
      red: '#ffb3b3',
      gray: '#dee2e6',
    }),
  },
})
