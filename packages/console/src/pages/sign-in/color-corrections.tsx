/** Says how the pages correct a color that is hard to read on them. */
import { Box, Group, Text } from '@mantine/core'
import { chooseAccentColors, contrastOnPage } from '@querent/contract/accent-colors'
import { type ColorScheme, colorSchemes } from '@querent/contract/page-colors'
import { t } from '#i18n/translate.ts'
import { readSixDigits } from './color-field.tsx'

export const ColorCorrections = ({ color }: { color: string }) =>
  colorSchemes.map(scheme => <Correction key={scheme} color={color} scheme={scheme} />)

/** Nothing if the color can be read on the pages of the scheme. */
const Correction = ({ color, scheme }: { color: string; scheme: ColorScheme }) => {
  const { accent } = chooseAccentColors(color, scheme)
  if (accent === readSixDigits(color)) return null
  const values = {
    color: readSixDigits(color),
    given: contrastOnPage(color, scheme),
    corrected: accent,
    ratio: contrastOnPage(accent, scheme),
  }
  return (
    <Group gap="xs" mt={6} wrap="nowrap" align="flex-start">
      <ColorSwatch color={accent} />
      <Text size="sm">
        {scheme === 'light'
          ? t(
              'Light pages: {color} is hard to read (contrast {given} to 1), so they use {corrected} ({ratio} to 1).',
              values,
            )
          : t(
              'Dark pages: {color} is hard to read (contrast {given} to 1), so they use {corrected} ({ratio} to 1).',
              values,
            )}
      </Text>
    </Group>
  )
}

const ColorSwatch = ({ color }: { color: string }) => (
  <Box component="span" className="color-swatch" bg={color} aria-hidden />
)
