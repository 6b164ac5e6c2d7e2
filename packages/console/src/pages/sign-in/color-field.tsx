/** A color as text, and by the browser's color picker. */
import { Stack, TextInput } from '@mantine/core'
import { colorPattern } from '@querent/contract/branding'
import { pageColors } from '@querent/contract/page-colors'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'
import './sign-in-settings.css'

const shape = new RegExp(colorPattern)
export const isColor = (text: string): boolean => shape.test(text.trim())

/** `#0b5` as `#00bb55`, as the color picker needs it. */
export const readSixDigits = (color: string): string =>
  color.length === 4 ? color.replaceAll(/[^#]/g, '$&$&').toLowerCase() : color.toLowerCase()

interface ColorFieldProps {
  value: string
  onChange: (text: string) => void
  error: string | undefined
  /** Remarks on the color. */
  children: ReactNode
}

export const ColorField = ({ value, onChange, error, children }: ColorFieldProps) => {
  const color = isColor(value) ? value.trim() : undefined
  return (
    <Stack gap={0}>
      <TextInput
        label={t('Color')}
        description={t('Of buttons and links, in hexadecimal.')}
        placeholder={pageColors.light.accent}
        spellCheck={false}
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
        error={color === undefined && value.trim() !== '' ? t('Type a color such as #2b50c8.') : error}
        leftSection={
          <input
            type="color"
            className="color-picker"
            aria-label={t('Pick a color')}
            value={readSixDigits(color ?? pageColors.light.accent)}
            onChange={event => onChange(event.currentTarget.value)}
          />
        }
      />
      <Stack gap={0} role="status">
        {children}
      </Stack>
    </Stack>
  )
}
