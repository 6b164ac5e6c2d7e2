/** How the sign-in pages of a workspace look (workspace-file.md, `branding`). */
import { colord, extend } from 'colord'
import a11y from 'colord/plugins/a11y'
import { type Static, Type } from './schema.ts'
import { closed, Title } from './workspace-names.ts'

extend([a11y])

const OptionalUrl = Type.Optional(Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 2048 })]))

export const Branding = Type.Object(
  {
    name: Type.Optional(Type.Union([Type.Null(), Title])),
    logo: OptionalUrl,
    color: Type.Optional(
      Type.Union([Type.Null(), Type.String({ pattern: '^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$' })]),
    ),
    termsUrl: OptionalUrl,
    privacyUrl: OptionalUrl,
  },
  closed,
)
export type Branding = Static<typeof Branding>

/** Returns what is wrong with the address of a logo or a page, or undefined. */
export const brandUrlProblem = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === ''
  // A policy (CSP) separates its sources by these characters.
  return isPlain && !/[\s;,'"]/.test(text)
    ? undefined
    : 'an https:// address without a user name, quotes, commas or semicolons'
}

/** The accent color of pages in one color scheme. Text on it, and links in it, have a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export interface AccentColors {
  accent: string
  /** While a button or link is pointed at. */
  strong: string
  onAccent: string
}

export type ColorScheme = 'light' | 'dark'

/** The ground in each scheme that has the least contrast with an accent (`styles.ts` of the sign-in pages). */
const grounds: Record<ColorScheme, string> = { light: '#f3f4f7', dark: '#1c1f28' }
const contrastMin = 4.5
const step = 0.02
const strongSteps = 4

/** Makes a color darker (light scheme) or lighter (dark scheme), until it can be read. */
export const chooseAccentColors = (color: string, scheme: ColorScheme): AccentColors => {
  const move = (from: ReturnType<typeof colord>, amount: number) =>
    scheme === 'light' ? from.darken(amount) : from.lighten(amount)
  let accent = colord(color)
  // Black and white have enough contrast, so this ends.
  while (accent.contrast(grounds[scheme]) < contrastMin) accent = colord(move(accent, step).toHex())
  return {
    accent: accent.toHex(),
    strong: move(accent, step * strongSteps).toHex(),
    onAccent: scheme === 'light' ? '#ffffff' : '#000000',
  }
}
