/** The sign-in page with a branding that is not saved yet, in both color schemes and with the colors of the server. */
import { Anchor, SimpleGrid, Stack, Text } from '@mantine/core'
import { chooseAccentColors, contrastOnPage } from '@querent/contract/accent-colors'
import { brandUrlProblem } from '@querent/contract/branding'
import { type ColorScheme, colorSchemes, pageColors } from '@querent/contract/page-colors'
import { type CSSProperties, useRef } from 'react'
import { t } from '#i18n/translate.ts'
import { isColor } from './color-field.tsx'
import './sign-in-settings.css'

interface BrandingPreviewProps {
  /** As typed. */
  values: { logo: string; color: string; termsUrl: string; privacyUrl: string }
  /** At the top of the page. */
  name: string
  /** Title of the workspace, which stands for an application here. */
  application: string
}

const schemeNames: Readonly<Record<ColorScheme, string>> = { light: t('Light'), dark: t('Dark') }

export const BrandingPreview = ({ values, name, application }: BrandingPreviewProps) => {
  const color = useLastColor(values.color)
  const logo = values.logo.trim()
  const hasLogo = brandUrlProblem(logo) === undefined
  const has = (url: string) => url.trim() !== ''
  return (
    <Stack gap="xs">
      <Text fw={600} size="sm">
        {t('Preview')}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {colorSchemes.map(scheme => {
          const colors = { ...pageColors[scheme], ...(color ? chooseAccentColors(color, scheme) : {}) }
          return (
            <Stack key={scheme} gap={4}>
              <div
                className="sign-in-preview"
                role="img"
                aria-label={t('Sign-in page, {scheme}', { scheme: schemeNames[scheme] })}
                style={writeVariables(colors)}
              >
                <span className="mark">{hasLogo ? <span className="logo">{t('Logo')}</span> : name}</span>
                <span className="card">
                  <span className="heading">{t('Sign in')}</span>
                  <span className="quiet">{t('to {application}', { application })}</span>
                  <span className="label">
                    <span className="required">{t('E-mail address')}</span>
                  </span>
                  <span className="field" />
                  <span className="label">
                    <span className="required">{t('Password')}</span>
                    <span className="link">{t('Show password')}</span>
                  </span>
                  <span className="field" />
                  <span className="forgotten link">{t('Forgot your password?')}</span>
                  <span className="button">{t('Sign in')}</span>
                  <span className="button plain">{t('Cancel')}</span>
                </span>
                <span className="links">
                  {has(values.termsUrl) && <span className="link">{t('Terms')}</span>}
                  {has(values.privacyUrl) && <span className="link">{t('Privacy')}</span>}
                </span>
              </div>
              <Text size="xs" c="dimmed">
                {t('{scheme}: {color}, contrast {ratio} to 1', {
                  scheme: schemeNames[scheme],
                  color: colors.accent,
                  ratio: contrastOnPage(colors.accent, scheme),
                })}
              </Text>
            </Stack>
          )
        })}
      </SimpleGrid>
      {hasLogo && (
        <Text size="sm" c="dimmed">
          {t('The console loads no pictures of other servers, so the logo is not shown here.')}{' '}
          <Anchor href={logo} target="_blank" rel="noopener noreferrer">
            {t('Open the logo')}
          </Anchor>
        </Text>
      )}
    </Stack>
  )
}

/** While a color is being typed, the preview keeps the one before it. */
const useLastColor = (text: string): string | undefined => {
  const last = useRef<string>(undefined)
  if (isColor(text)) last.current = text.trim()
  if (text.trim() === '') last.current = undefined
  return last.current
}

/** Colors as custom properties: `--on-accent` for `onAccent`. */
const writeVariables = (colors: object): CSSProperties =>
  Object.fromEntries(
    Object.entries(colors).map(([name, color]) => [
      `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`,
      color,
    ]),
  )
