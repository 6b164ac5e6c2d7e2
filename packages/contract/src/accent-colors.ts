/** Chooses the colors of sign-in pages that follow from the color of a workspace. */
import { colord, extend } from 'colord'
import a11y from 'colord/plugins/a11y'
import { type AccentColors, type ColorScheme, pageColors } from './page-colors.ts'

extend([a11y])

/** The ground in each scheme that has the least contrast with an accent. */
const grounds: Readonly<Record<ColorScheme, string>> = {
  light: pageColors.light.page,
  dark: pageColors.dark.card,
}
const contrastMin = 4.5
const step = 0.02
const strongSteps = 4

/** Contrast of an accent with the pages, from 1 to 21 (WCAG 2.2, 1.4.3). */
export const contrastOnPage = (color: string, scheme: ColorScheme): number =>
  colord(color).contrast(grounds[scheme])

/** Makes a color darker (light scheme) or lighter (dark scheme), until it can be read. */
export const chooseAccentColors = (color: string, scheme: ColorScheme): AccentColors => {
  const move = (from: ReturnType<typeof colord>, amount: number) =>
    scheme === 'light' ? from.darken(amount) : from.lighten(amount)
  let accent = colord(color)
  // Black and white have enough contrast, so this ends.
  while (accent.contrast(grounds[scheme]) < contrastMin) accent = colord(move(accent, step).toHex())
  return {
    accent: accent.toHex(),
    accentStrong: move(accent, step * strongSteps).toHex(),
    onAccent: scheme === 'light' ? '#ffffff' : '#000000',
  }
}
